import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { pdfOf, type Service } from "../support/service.ts";
import type { FakeTerminal } from "./fake-terminal.ts";
import { generateSetting } from "./run-in-process.ts";

const pdf = pdfOf(36_800);
const toOutput = ["generate", "invoice", "-o", "-"];
const wipe = "\r\u001b[K";

describe("progress", () => {
  let service: Service;
  let terminal: FakeTerminal;

  beforeEach(async () => {
    ({ service, terminal } = await generateSetting(() => {}));
    terminal.env["TERM"] = "xterm";
    terminal.stderr.isTTY = true;
  });

  const shows = (text: string) => terminal.stderr.shows(text);

  /** Returns what the terminal shows at the end, because each wipe clears the line. */
  const lastLine = () => terminal.stderr.text.split(wipe).at(-1);

  it("shows waiting and receiving on one line, which is cleared before the result", async () => {
    const ended = run(["generate", "invoice", "-o", join(temporaryFolder(), "a.pdf")], terminal);
    const { response } = await service.request();
    await shows("invoice: waiting for the service, 0 s");
    response.writeHead(200, { "content-length": pdf.length });
    response.write(pdf.subarray(0, 20_000));
    await shows("invoice: 20.0 kB of 36.8 kB, 0 s");
    response.end(pdf.subarray(20_000));
    expect(await ended).toBe(0);
    expect(lastLine()).toBe("");
    expect(terminal.stderr.text).not.toContain("\n");
    expect(terminal.printed).toMatch(/a\.pdf: 36\.8 kB\n$/);
  });

  it("shows a retry, and is cleared before an error is printed", async () => {
    const ended = run(toOutput, terminal);
    const { response } = await service.request();
    await shows("waiting");
    response.writeHead(503, { "retry-after": "0.2" }).end();
    await shows("invoice: retrying");
    (await service.request(1)).response.writeHead(503, { "retry-after": "3600" }).end();
    expect(await ended).toBe(1);
    expect(lastLine()).toMatch(/^template-pdf: Got 503 from .*\n$/);
  });

  it("fits on one line, and escapes control characters", async () => {
    terminal.stderr.columns = 40;
    const ended = run(["generate", "\u009b31m\u202einvoice ".repeat(9), "-o", "-"], terminal);
    await shows("\\u009b31m\\u202einvoice");
    expect(await ended).toBe(2);
    const lines = terminal.stderr.text.split(wipe).filter((line) => !line.startsWith("template-pdf:"));
    for (const line of lines) expect([...line].length).toBeLessThan(40);
    expect(terminal.stderr.text).not.toMatch(/[\u009b\u202e]/);
  });

  it("is not shown if standard error is not a terminal", async () => {
    terminal.stderr.isTTY = false;
    const ended = run(toOutput, terminal);
    (await service.request()).response.writeHead(200).end(pdf);
    expect(await ended).toBe(0);
    expect(terminal.stderr.text).toBe("");
  });
});
