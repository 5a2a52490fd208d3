import { EventEmitter, once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
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

/** A stream that cannot be written, for example because its reader has closed it. */
export class ClosedPipe extends Writable {
  readonly #code: string;

  constructor(code = "EPIPE") {
    super();
    this.#code = code;
  }

  override _write(_chunk: Buffer, _encoding: string, done: (error: Error) => void): void {
    done(Object.assign(new Error(`write ${this.#code}`), { code: this.#code, syscall: "write" }));
  }
}

/** A stream that accepts one chunk at a time, and counts the chunks that were written before it was ready. */
export class SlowOutput extends Writable {
  bytes = 0;
  chunks = 0;
  pushed = 0;

  constructor() {
    super({ highWaterMark: 1 });
  }

  override write(chunk: Buffer, ...rest: never[]): boolean {
    if (chunk.length > 0 && this.writableNeedDrain) this.pushed += 1;
    return super.write(chunk, ...rest);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.bytes += chunk.length;
    this.chunks += 1;
    setImmediate(done);
  }
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

/** Returns standard input that never ends, and calls `onRead` when it is read. */
export function endlessInput(onRead: () => void): Readable {
  const input = new PassThrough();
  input.once("newListener", onRead);
  return input;
}
