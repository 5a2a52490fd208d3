import { fork } from "node:child_process";
import { once } from "node:events";
import { killAtEnd } from "../shared/at-end.mjs";

/** The time after which the supervisor restarts a worker that has ended. */
const restartMs = 200;

const programOf = (name) => new URL(name, import.meta.url);

/** Starts the service. `requests()` returns all requests so far, and `count()` the number of rendered documents. */
export async function startService(settings) {
  const child = killAtEnd(fork(programOf("service.mjs"), [JSON.stringify(settings)]));
  const [port] = await once(child, "message");
  const baseUrl = `http://127.0.0.1:${port}`;
  const get = async (path) => (await fetch(baseUrl + path)).json();
  return {
    baseUrl,
    requests: () => get("/requests"),
    count: () => get("/count"),
    end: () => child.kill("SIGKILL"),
  };
}

/** Worker processes and their supervisor, which restarts each one that ends. */
export class Fleet {
  /** How many workers ended without being killed. */
  exits = 0;
  /** The messages of `onError`, and of workers that stopped, with their counts. */
  #messages = new Map();
  #workers = new Set();
  #isEnding = false;
  #program;
  #argument;

  constructor(count, settings, program = "worker.mjs") {
    this.#program = programOf(program);
    this.#argument = JSON.stringify(settings);
    for (let index = 0; index < count; index++) this.#start();
  }

  /** Kills a random worker. */
  async killOne() {
    const all = [...this.#workers];
    const child = all[Math.floor(Math.random() * all.length)];
    if (child) await kill(child);
  }

  /** Prints the messages of the workers. */
  printMessages() {
    if (this.#messages.size > 0) console.log("Messages of the workers:");
    for (const [message, count] of this.#messages) console.log(`  ${count} × ${message}`);
  }

  async end() {
    this.#isEnding = true;
    await Promise.all([...this.#workers].map(kill));
  }

  #start() {
    const child = killAtEnd(fork(this.#program, [this.#argument]));
    this.#workers.add(child);
    child.on("message", ({ error, stopped }) => {
      const text = error ?? `stopped: ${stopped}`;
      this.#messages.set(text, (this.#messages.get(text) ?? 0) + 1);
    });
    child.once("exit", (_code, signal) => {
      this.#workers.delete(child);
      if (this.#isEnding) return;
      if (signal !== "SIGKILL") this.exits += 1;
      setTimeout(() => this.#isEnding || this.#start(), restartMs);
    });
  }
}

async function kill(child) {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
