import { startEmulator } from "template-pdf/emulator";

startEmulator({ templates: "templates", allowedHosts: ["pdf.test"] as const, limits: { requestMs: 5_000 } });
// @ts-expect-error: several names are an array
startEmulator({ templates: "templates", allowedHosts: "pdf.test" });
// @ts-expect-error: a time is a number of milliseconds
startEmulator({ templates: "templates", limits: { requestMs: "5s" } });
