import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClientOptions, type RetryEvent, TruncatedPdfError } from "template-pdf";
import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { forms, gather, generate, temporaryFolder } from "./every-form.ts";
import { expectTimeout, passTime, stopTime, streamForms, wholeForms, withoutBackOff } from "./timing.ts";

const pdf = pdfOf(400_000);
const half = pdf.subarray(0, 200_000);
const id = (requestId: string) => ({ "x-request-id": requestId });
const promised = { "content-length": String(pdf.length), ...id("broken") };

/** Begins as a document, and breaks. */
const cutOff: Answer = ({ response }) => {
  response.writeHead(200, promised);
  response.write(half, () => response.destroy());
};
const breaks: readonly (readonly [string, Answer])[] = [
  ["is cut off", cutOff],
  [
    "ends too early, in chunks",
    ({ response }) => {
      response.writeHead(200, id("broken")).end(half);
    },
  ],
  [
    "stalls",
    ({ response }) => {
      response.writeHead(200, promised).write(half);
    },
  ],
  [
    "is reset",
    ({ response, socket }) => {
      response.writeHead(200, promised).write(half, () => socket.resetAndDestroy());
    },
  ],
  [
    "goes on as no chunk can",
    ({ socket }) => {
      const size = half.length.toString(16);
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n`);
      socket.write(half);
      socket.write("\r\nno length at all\r\n");
    },
  ],
];

/** A service that gives broken documents first, and whole ones from then on. */
async function start(answer: Answer, brokenFirst = 1) {
  let count = 0;
  const service = await Service.start((received) =>
    (count++ < brokenFirst ? answer : withLength(pdf, id("whole")))(received),
  );
  const retries: RetryEvent[] = [];
  const client = (options: ClientOptions = {}) =>
    service.client({
      retry: {},
      timeouts: { stall: 250 },
      hooks: { retry: (event) => retries.push(event) },
      ...options,
    });
  return { service, client, retries };
}

beforeEach(withoutBackOff);

describe("a document", () => {
  describe.each(breaks)("that %s", (what, answer) => {
    /** Of an answer that HTTP takes for whole, the connection is used again. */
    const freed = async (service: Service) => {
      if (!what.includes("ends")) await service.requests[0]?.closed;
    };

    it.each(wholeForms)("is asked for again where %s was asked of the pending result", async (_, read) => {
      const { service, client, retries } = await start(answer);
      expect(pdf.equals(await read(generate(client())))).toBe(true);
      expect(service.requests).toHaveLength(2);
      expect(service.requests[1]?.body).toBe(service.requests[0]?.body);
      expect(retries).toEqual([expect.objectContaining({ attempt: 1, delayMs: 0 })]);
      await freed(service);
    });

    it.each(forms)("is not, where it was awaited before %s", async (_, read) => {
      const { service, client } = await start(answer);
      const document = await generate(client());
      const error = await rejectionOf((async () => read(document))());
      expect([document.attempts, (error as TruncatedPdfError).attempts]).toEqual([1, 1]);
      await freed(service);
      expect(service.requests).toHaveLength(1);
    });

    it.each(streamForms)("is not, where its bytes were handed on already: %s", async (_, read) => {
      const { service, client } = await start(answer);
      const error = await rejectionOf(read(generate(client())));
      expect((error as TruncatedPdfError).attempts).toBe(1);
      expect((error as TruncatedPdfError).message).toMatch(/; generate it again\.$/);
      await freed(service);
      expect(service.requests).toHaveLength(1);
    });

    it("is not, where somebody awaits the pending result beside the form", async () => {
      const { service, client } = await start(answer);
      const pending = generate(client());
      const [document, error] = await Promise.all([pending, rejectionOf(pending.bytes())]);
      expect([document.requestId ?? "broken", (error as TruncatedPdfError).attempts]).toEqual(["broken", 1]);
      expect(service.requests).toHaveLength(1);
    });

    it("is not, where nothing may be rendered twice", async () => {
      const { service, client } = await start(answer);
      const call = generate(client(), { retry: { mayRenderTwice: false } });
      expect((await rejectionOf(call.bytes())) as object).toMatchObject({ attempts: 1 });
      expect(service.requests).toHaveLength(1);
    });
  });

  it("that breaks every time is told broken, with how often it was tried", async () => {
    for (const [form, read] of wholeForms) {
      const { service, client } = await start(cutOff, 99);
      const error = await rejectionOf(read(generate(client())));
      expect(TruncatedPdfError.is(error) && [form, error.attempts]).toEqual([form, 3]);
      expect((error as Error).message).toMatch(/ Tried 3 times\.$/);
      expect(service.requests).toHaveLength(3);
      await Promise.all(service.requests.map(({ closed }) => closed));
    }
  });

  it("that breaks is followed by what comes of the next attempt, whatever it is", async () => {
    const answers = [cutOff, saying(404)];
    const service = await Service.start((received) => answers.shift()?.(received));
    const error = await rejectionOf(generate(service.client({ retry: {} })).blob());
    expect(error).toMatchObject({ code: "not_found", attempts: 2 });
  });

  it("that is not verified is asked for again where bytes are missing", async () => {
    const { service, client } = await start(cutOff);
    expect(pdf.equals(await generate(client({ verify: false })).bytes())).toBe(true);
    expect(service.requests).toHaveLength(2);
  });

  it("that was asked for again is the one that the pending result gives from then on", async () => {
    const { client } = await start(cutOff);
    const pending = generate(client());
    await pending.bytes();
    const document = await pending;
    expect([document.requestId, document.attempts]).toEqual(["whole", 2]);
  });

  it("that is awaited while it is being asked for again is the next one", async () => {
    const { client } = await start(cutOff);
    const awaited: Promise<unknown>[] = [];
    const hooks = {
      retry: () => {
        awaited.push(pending.then(({ requestId, attempts }) => [requestId, attempts]));
      },
    };
    const pending = generate(client({ hooks }));
    expect(pdf.equals(await pending.bytes())).toBe(true);
    expect(await Promise.all(awaited)).toEqual([["whole", 2]]);
  });

  it("that is awaited while it is being asked for again is not asked for a third time", async () => {
    const { service, client } = await start(cutOff, 2);
    const hooks = { retry: () => void pending.then(() => {}) };
    const pending = generate(client({ hooks }));
    expect(await rejectionOf(pending.bytes())).toMatchObject({ code: "truncated_pdf", attempts: 2 });
    expect(service.requests).toHaveLength(2);
  });

  it("that is read by a second form before the first, ends the call for both", async () => {
    const { service, client } = await start(cutOff);
    const pdfs = client();
    const pending = generate(pdfs);
    const saving = rejectionOf(pending.saveTo(join(temporaryFolder(), "a.pdf")));
    const error = await rejectionOf(pending.stream().then((stream) => gather(stream)));
    expect(error).toMatchObject({ code: "truncated_pdf", attempts: 1 });
    expect(await saving).toBeInstanceOf(TypeError);
    // It would wait for the call, were that not over.
    await pdfs.close();
    expect(service.requests).toHaveLength(1);
  });

  it("leaves nothing of its first attempt beside the saved one", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.pdf");
    const left: string[][] = [];
    const answers: Answer[] = [cutOff, cutOff, withLength(pdf)];
    const service = await Service.start(async (received) => {
      left.push(await readdir(folder));
      await answers.shift()?.(received);
    });
    const saved = await generate(service.client({ retry: {} })).saveTo(path);
    expect(saved).toEqual({ path, bytes: pdf.length });
    expect(left).toEqual([[], [], []]);
    expect(await readdir(folder)).toEqual(["a.pdf"]);
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("keeps the file that was there until the next attempt is whole", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.pdf");
    const { client } = await start(withLength(pdf));
    await generate(client()).saveTo(path);
    const broken = await start(cutOff, 99);
    expect(await rejectionOf(generate(broken.client()).saveTo(path))).toMatchObject({ attempts: 3 });
    expect(await readdir(folder)).toEqual(["a.pdf"]);
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("that breaks is held to timeouts.total through all its attempts", async () => {
    const service = await Service.start(({ response }) => {
      response.writeHead(200, promised).write(half);
    });
    const begins: (() => void)[] = [];
    const begun = [0, 1].map((index) => new Promise<void>((resolve) => begins.splice(index, 1, resolve)));
    const client = service.client({
      retry: { limit: 100 },
      timeouts: { firstByte: 1_000_000, stall: 100_000, total: 150_000 },
      hooks: { response: ({ attempt }) => begins[attempt - 1]?.() },
    });
    stopTime();
    const failure = rejectionOf(generate(client).bytes());
    await begun[0];
    await turns(100);
    await passTime(100_300);
    await begun[1];
    await passTime(51_000);
    const error = expectTimeout(await failure, "total", 150_000);
    expect(error.attempts).toBe(2);
    expectTimeout(error.cause, "stall", 100_000);
    await Promise.all(service.requests.map(({ closed }) => closed));
  });
});
