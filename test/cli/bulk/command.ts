import { readdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { run } from "../../../src/cli/run.ts";
import { temporaryFolder } from "../../client/every-form.ts";
import { type Answer, pdfOf, type Received, Service, withLength } from "../../support/service.ts";
import { FakeTerminal } from "../fake-terminal.ts";

/** A small whole PDF. */
export const small = pdfOf(1000);

/** CSV with the columns `no` and `name`, and `no` from 1. */
export function csvOf(count: number): string {
  return ["no,name", ...Array.from({ length: count }, (_, index) => `${index + 1},Zoë`), ""].join("\n");
}

/** The member `no` of a request. */
export function noOf({ body }: Pick<Received, "body">): string {
  return String((JSON.parse(body) as { no: unknown }).no);
}

/** Answers by the member `no`, and with a small PDF where nothing else is said. */
export function byNo(answers: Readonly<Record<string, Answer>>): Answer {
  return (received) => (answers[noOf(received)] ?? withLength(small))(received);
}

/** Answers with a small PDF, but not before it is released. */
export function held() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer: Answer = async (received) => {
    await released;
    withLength(small)(received);
  };
  return { answer, release };
}

/** How a command ended, and what it said. */
export interface Ending {
  readonly code: number;
  readonly printed: string;
  readonly told: string;
}

/** The key that the command has, and that no output may hold. */
export const key = "key-CANARY-0123456789";

/** A service, a folder, and commands between them. */
export class Bench {
  readonly service: Service;
  readonly at = temporaryFolder();
  /** Whether standard error of the next command is a terminal. */
  isTTY = false;
  /** The terminal of the command that was begun last. */
  terminal = new FakeTerminal();

  private constructor(service: Service) {
    this.service = service;
  }

  static async open(answer: Answer = withLength(small)): Promise<Bench> {
    return new Bench(await Service.start(answer));
  }

  /** The same, with so many rows in `data.csv`. */
  static async withRows(count: number, answer?: Answer): Promise<Bench> {
    const bench = await Bench.open(answer);
    bench.write("data.csv", csvOf(count));
    return bench;
  }

  path(...names: string[]): string {
    return join(this.at, ...names);
  }

  write(name: string, text: string | Uint8Array): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), "utf8");
  }

  /** The names in a folder, sorted. */
  files(name = "out"): string[] {
    return readdirSync(this.path(name)).sort();
  }

  /** How many requests there were for each `no`, sorted. */
  asked(): string[] {
    return this.service.requests.map(noOf).sort((one, other) => Number(one) - Number(other));
  }

  /**
   * Runs `bulk letter <data> --out out/{{no}}.pdf`.
   *
   * @param data - the name of the file in the folder, or `-`
   */
  bulk(data: string, args: readonly string[] = [], input = ""): Promise<Ending> {
    return this.bulkOf("letter", data, args, input);
  }

  async bulkOf(uid: string, data: string, args: readonly string[] = [], input = ""): Promise<Ending> {
    const terminal = new FakeTerminal();
    this.terminal = terminal;
    terminal.stderr.isTTY = this.isTTY;
    terminal.env = { TEMPLATE_PDF_API_KEY: key, TEMPLATE_PDF_BASE_URL: this.service.baseUrl, TERM: "xterm" };
    terminal.stdin = Readable.from([Buffer.from(input)]);
    const out = args.includes("--out") ? [] : ["--out", this.path("out/{{no}}.pdf")];
    const file = data === "-" ? data : this.path(data);
    const code = await run(["bulk", uid, file, ...out, ...args], terminal);
    return { code, printed: this.plain(terminal.printed), told: this.plain(terminal.stderr.text) };
  }

  /** A text without what differs from run to run. */
  plain(text: string): string {
    return text
      .replaceAll(`${this.at}/`, "")
      .replaceAll(this.service.baseUrl, "ORIGIN")
      .replace(/, in [^\n,]+(?:, \S+\/s)?\n/, ", in TIME\n");
  }
}
