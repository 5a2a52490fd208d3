import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { type ClientOptions, ConfigurationError } from "../../../src/index.ts";
import { proofs } from "../proof.ts";

export const events = proofs("Events", (prove) => {
  const row = "Events, webhooks or notifications: not shown.";

  for (const option of ["webhook", "callbackUrl", "onEvent"]) {
    prove(row, `the client has no option \`${option}\``, async ({ pdfs }) => {
      const options = { [option]: "https://app.example.com/pdf" } as ClientOptions;
      expect(() => pdfs.with(options)).toThrow(ConfigurationError);
    });
  }

  prove(row, "nothing is asked for once a call has ended", async ({ pdfs, service }) => {
    await pdfs.generate("inv_2024", {}).bytes();
    await setTimeout(100);
    expect(service.calls).toHaveLength(1);
  });
});
