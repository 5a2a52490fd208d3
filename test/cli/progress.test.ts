import { once } from "node:events";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.ts";
import { temporaryFolder } from "../client/every-form.ts";
import { pdfOf, Service } from "../support/service.ts";
import { FakeTerminal } from "./fake-terminal.ts";

const pdf = pdfOf(36_800);
const wipe = "\r\u001b[K";

describe("progress", () => {
  let service: Service;
  let terminal: FakeTerminal;

  beforeEach(async () => {
    service = await Service.start(() => {});
    terminal = new FakeTerminal();
    terminal.env = { TEMPLATE_PDF_API_KEY: "k", TEMPLATE_PDF_BASE_URL: service.baseUrl, TERM: "xterm" };
    terminal.stderr.isTTY = true;
  });

  /** Waits until the terminal shows something. */
  async function shows(text: string): Promise<void> {
    while (!terminal.stderr.text.includes(text)) await once(terminal.stderr, "text");
  }

  /** What a terminal shows in the end: each wipe takes away what stood on the line. */
  function left(): string | undefined {
    return terminal.stderr.text.split(wipe).at(-1);
  }

  it("is one line that waits, receives, and is wiped away before the result is printed", async () => {
    const ended = run(["generate", "invoice", "-o", join(temporaryFolder(), "a.pdf")], terminal);
    const { response } = await service.request();
    await shows("invoice: waiting for the service, 0 s");
    response.writeHead(200, { "content-length": pdf.length });
    response.write(pdf.subarray(0, 20_000));
    await shows("invoice: 20.0 kB of 36.8 kB, 0 s");
    // Nothing more comes, and that can be seen.
    await shows("invoice: 20.0 kB of 36.8 kB, 1 s");
    response.end(pdf.subarray(20_000));
    expect(await ended).toBe(0);
    expect(left()).toBe("");
    expect(terminal.stderr.text).not.toContain("\n");
    expect(terminal.printed).toMatch(/a\.pdf: 36\.8 kB\n$/);
  });

  it("is whole where the terminal does not know how wide it is", async () => {
    terminal.stderr.columns = 0;
    const ended = run(["generate", "invoice", "-o", "-"], terminal);
    const { response } = await service.request();
    await shows("invoice: waiting for the service, 0 s");
    response.writeHead(200).end(pdf);
    expect(await ended).toBe(0);
  });

  it("counts what is written to standard output", async () => {
    const ended = run(["generate", "invoice", "-o", "-"], terminal);
    const { response } = await service.request();
    response.writeHead(200).write(pdf.subarray(0, 20_000));
    await shows("invoice: 20.0 kB so far, 0 s");
    response.end(pdf.subarray(20_000));
    expect(await ended).toBe(0);
    expect(left()).toBe("");
  });

  it("says that it tries again, and is wiped away before an error is told", async () => {
    const ended = run(["generate", "invoice", "-o", "-"], terminal);
    const { response } = await service.request();
    await shows("waiting");
    response.writeHead(503, { "retry-after": "0.2" }).end();
    await shows("invoice: trying again");
    (await service.request(1)).response.writeHead(503, { "retry-after": "3600" }).end();
    expect(await ended).toBe(1);
    expect(left()).toMatch(/^template-pdf: The service at .* answered 503 .*\n$/);
  });

  it("never takes more than one line, and shows what a terminal would obey", async () => {
    terminal.stderr.columns = 40;
    const ended = run(["generate", "\u009b31m\u202einvoice ".repeat(9), "-o", "-"], terminal);
    await shows("\\u009b31m\\u202einvoice");
    expect(await ended).toBe(2);
    const lines = terminal.stderr.text.split(wipe).filter((line) => !line.startsWith("template-pdf:"));
    for (const line of lines) expect([...line].length).toBeLessThan(40);
    expect(terminal.stderr.text).not.toMatch(/[\u009b\u202e]/);
  });

  it.each([
    ["standard error is no terminal", false, "xterm"],
    ["the terminal cannot draw a line again", true, "dumb"],
  ])("is not shown where %s", async (_title, isTTY, term) => {
    terminal.stderr.isTTY = isTTY;
    Object.assign(terminal.env, { TERM: term });
    const ended = run(["generate", "invoice", "-o", "-"], terminal);
    const { response } = await service.request();
    response.writeHead(200).end(pdf);
    expect(await ended).toBe(0);
    expect(terminal.stderr.text).toBe("");
  });
});
