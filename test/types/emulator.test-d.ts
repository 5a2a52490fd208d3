import { startEmulator } from "template-pdf/emulator";

startEmulator({ templates: "templates", allowedHosts: ["pdf.test"] as const, limits: { requestMs: 5_000 } });
startEmulator({ templates: "templates", allowedHosts: undefined });
// @ts-expect-error: several names are an array
startEmulator({ templates: "templates", allowedHosts: "pdf.test" });
// @ts-expect-error: a name is a string
startEmulator({ templates: "templates", allowedHosts: [/\.test$/] });
// @ts-expect-error: a time is a number of milliseconds
startEmulator({ templates: "templates", limits: { requestMs: "5s" } });
