import { readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { run } from "../../../src/cli/run.ts";
import { type Answer, pdfOf, type Received, Service, withLength } from "../../support/service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { FakeTerminal } from "../fake-terminal.ts";

/** A small, complete PDF. */
export const smallPdf = pdfOf(1000);

/** Returns CSV with the columns `no`, which counts from 1, and `name`. */
export function csvOf(count: number): string {
  return ["no,name", ...Array.from({ length: count }, (_, index) => `${index + 1},Zoë`), ""].join("\n");
}

/** Returns the value `no` of a request. */
export function numberOf({ body }: Pick<Received, "body">): string {
  return String((JSON.parse(body) as { no: unknown }).no);
}

/** Selects the response by the value `no`. The default is a small PDF. */
export function byNumber(responses: Readonly<Record<string, Answer>>): Answer {
  return (received) => (responses[numberOf(received)] ?? withLength(smallPdf))(received);
}

/** The API key of the command. No output may contain it. */
export const key = "key-CANARY-0123456789";

/** A service and a folder, and the commands that use them. */
export class Bench {
  readonly #folder = temporaryFolder();
  /** Whether standard error of the next command is a terminal. */
  isTTY = false;
  /** The terminal of the command that was started last. */
  terminal = new FakeTerminal();

  private constructor(readonly service: Service) {}

  static async open(answer: Answer = withLength(smallPdf)): Promise<Bench> {
    return new Bench(await Service.start(answer));
  }

  /** Opens it with `count` rows in `data.csv`. */
  static async withRows(count: number, answer?: Answer): Promise<Bench> {
    const bench = await Bench.open(answer);
    bench.write("data.csv", csvOf(count));
    return bench;
  }

  path(...names: string[]): string {
    return join(this.#folder, ...names);
  }

  write(name: string, text: string | Uint8Array): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), "utf8");
  }

  /** Returns the sorted names of the files in a folder. */
  files(name = "out"): string[] {
    return readdirSync(this.path(name)).sort();
  }

  /** Returns the sorted values `no` of all requests. */
  requestedNos(): string[] {
    return this.service.requests.map(numberOf).sort((one, other) => Number(one) - Number(other));
  }

  /** Runs `bulk letter <data> --out out/{{no}}.pdf`. `data` is the name of a file in the folder, or `-`. */
  async bulk(data: string, args: readonly string[] = [], { input = "", uid = "letter" } = {}) {
    const terminal = new FakeTerminal();
    this.terminal = terminal;
    terminal.stderr.isTTY = this.isTTY;
    terminal.env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: this.service.baseUrl, TERM: "xterm" };
    terminal.stdin = Readable.from([Buffer.from(input)]);
    const out = args.includes("--out") ? [] : ["--out", this.path("out/{{no}}.pdf")];
    const file = data === "-" ? data : this.path(data);
    const code = await run(["bulk", uid, file, ...out, ...args], terminal);
    return { code, printed: this.#plain(terminal.printed), stderr: this.#plain(terminal.stderr.text) };
  }

  /** Removes from a text what differs between runs. */
  #plain(text: string): string {
    return text
      .replaceAll(`${this.#folder}/`, "")
      .replaceAll(this.service.baseUrl, "ORIGIN")
      .replace(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z (?=\S)/gm, "")
      .replace(/, in [^\n,]+(?:, \S+\/s)?\n/, ", in TIME\n");
  }
}
