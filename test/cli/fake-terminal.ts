import { EventEmitter, once } from "node:events";
import { Readable, Writable } from "node:stream";
import type { Output, Terminal } from "../../src/cli/terminal.ts";

/** A stream that records everything that is written to it. */
export class RecordedOutput extends Writable {
  isTTY = false;
  columns = 80;
  text = "";
  readonly #chunks: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    this.text += chunk.toString();
    this.emit("text");
    done();
  }

  /** Waits until a text has been written `times` times. */
  async shows(text: string, times = 1): Promise<void> {
    while (this.text.split(text).length <= times) await once(this, "text");
  }
}

/** Returns a stream that cannot be written, for example because its reader has closed it. */
export function closedPipe(code: string): Writable {
  const error = Object.assign(new Error(`write ${code}`), { code, syscall: "write" });
  return new Writable({ write: (_chunk, _encoding, done) => done(error) });
}

/** A terminal in which a command runs without a separate process. */
export class FakeTerminal extends EventEmitter implements Terminal {
  stdin: Readable = Readable.from([]);
  stdout: Output = new RecordedOutput();
  stderr: RecordedOutput = new RecordedOutput();
  env: Record<string, string> = {};
  platform = "linux";
  /** The exit codes with which the command ended the process immediately. */
  readonly exits: number[] = [];

  /** The text on standard output. */
  get printed(): string {
    return (this.stdout as RecordedOutput).text;
  }

  exit(code: number): void {
    this.exits.push(code);
  }
}
