import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import {
  ApiError,
  BadRequestError,
  ConfigurationError,
  InvalidPdfError,
  SaveError,
  TimeoutError,
  TruncatedPdfError,
  ValuesError,
} from "template-pdf";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { pdfOf, rejectionOf } from "../support/service.ts";
import { framed, head, type RawRequest, serveRaw } from "../transport/server.ts";
import { blockOf, guideText, runBlock } from "./guide-block.ts";

/** What docs/guides/migrating.md says of the code that most write first, seen in that very code. */

type SavePdf = (uid: string, values: object, path: string) => Promise<void>;
type Server = Awaited<ReturnType<typeof serveRaw>>;
type Answer = (socket: Socket, request: RawRequest, count: number) => void;

const key = "key-CANARY-0123456789";
const pdf = pdfOf(4_000);
const half = pdf.subarray(0, 2_000);
const values = { customer: "Zoë CANARY" };

/** A head and a body of the length that the head tells. */
function whole(body: string | Buffer, status = 200, headers: readonly string[] = []): Buffer {
  const told = head(status, [...headers, `content-length: ${Buffer.byteLength(body)}`]);
  return Buffer.concat([Buffer.from(told), Buffer.from(body)]);
}

const giving =
  (bytes: Buffer): Answer =>
  (socket) =>
    void socket.write(bytes);
const closingAfter = (...parts: (string | Buffer)[]): Answer => {
  return (socket) => void socket.end(Buffer.concat(parts.map((part) => Buffer.from(part))));
};
const onceThenPdf = (first: Answer): Answer => {
  return (socket, request, count) => (count === 1 ? first : giving(whole(pdf)))(socket, request, count);
};

async function start(answer: Answer): Promise<Server> {
  const server: Server = await serveRaw((socket, request) => answer(socket, request, server.requests.length));
  return server;
}

/** Both functions of the guide, which ask this server. */
async function both({ origin }: Server, settings: Readonly<Record<string, string>> = {}) {
  const served = { "https://pdf.example.com": origin };
  const byHand = await runBlock<{ savePdf: SavePdf }>(blockOf("migrating", "by-hand.ts"), served);
  const byClient = () =>
    runBlock<{ savePdf: SavePdf }>(blockOf("migrating", "by-the-client.ts"), { ...served, ...settings });
  return { byHand: byHand.savePdf, byClient: async () => (await byClient()).savePdf };
}

const newPath = () => join(temporaryFolder(), "invoice.pdf");

/** What is in a file, if there is one. */
const contentOf = (path: string) => (existsSync(path) ? readFileSync(path) : undefined);

/** Lets one function save, and tells what became of it. */
async function save(savePdf: SavePdf, uid = "invoice", sent: object = values) {
  const path = newPath();
  const error = await savePdf(uid, sent, path).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return { error, content: contentOf(path) };
}

/** Has both functions save by a server that answers so. */
async function saveByBoth(answer: Answer) {
  const server = await start(answer);
  const { byHand, byClient } = await both(server);
  const hand = await save(byHand);
  const asked = server.requests.splice(0).length;
  const client = await save(await byClient());
  return { hand: { ...hand, asked }, client: { ...client, asked: server.requests.length } };
}

beforeEach(() => {
  vi.stubEnv("PDF_API_KEY", key);
  // No wait before another try.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The rows of the guide: what happens, what comes of it by hand and by the client, and what sees to that. */
const rows: readonly (readonly [what: string, byHand: string, byClient: string, see: () => Promise<void>])[] =
  [
    [
      "a login page comes, with status 200",
      "it is saved as the PDF",
      "`InvalidPdfError`",
      () => expectSaved("<html>Sign in</html>", giving(whole("<html>Sign in</html>", 200)), InvalidPdfError),
    ],
    [
      "an empty answer comes, with status 200",
      "an empty file",
      "`InvalidPdfError`",
      () => expectSaved("", giving(whole("")), InvalidPdfError),
    ],
    [
      "the connection ends in the middle of a document of no told length",
      "half a PDF is saved",
      "asked for again; then `TruncatedPdfError`",
      () => expectSaved(half, closingAfter(head(200, ["connection: close"]), half), TruncatedPdfError, 3),
    ],
    [
      "half a document comes, and its length is told as that",
      "half a PDF is saved",
      "asked for again; then `TruncatedPdfError`",
      () => expectSaved(half, giving(whole(half)), TruncatedPdfError, 3),
    ],
    [
      "the service answers 503, once",
      "an error",
      "asked for again: the PDF",
      async () => {
        const answer = onceThenPdf(giving(whole("busy", 503)));
        const { hand } = await saveByBoth(answer);
        expect(hand).toMatchObject({ error: { message: "The service answered 503: busy" }, asked: 1 });
        expect(await asClient(answer)).toMatchObject({ error: undefined, content: pdf });
      },
    ],
    [
      "the service hangs up before it answers, once",
      "`fetch failed`",
      "asked for again: the PDF",
      async () => {
        const answer = onceThenPdf((socket) => void socket.destroy());
        expect((await saveByBoth(answer)).hand).toMatchObject({
          error: { message: "fetch failed" },
          asked: 1,
        });
        expect(await asClient(answer)).toMatchObject({ error: undefined, content: pdf });
      },
    ],
    [
      "the document stops arriving",
      "waits on",
      "`TimeoutError` after `timeouts.stall`",
      async () => {
        const server = await start((socket) => void socket.write(whole(pdf).subarray(0, -1_000)));
        const impatient = { "PDF_API_KEY }": "PDF_API_KEY, retry: false, timeouts: { stall: 20 } }" };
        const { byHand, byClient } = await both(server, impatient);
        const hand = save(byHand);
        const client = save(await byClient());
        const first = await Promise.race([hand, client]);
        expect(first.error).toBeInstanceOf(TimeoutError);
        expect(first).toMatchObject({ error: { phase: "stall" }, content: undefined });
        await server.close();
        await hand;
      },
    ],
    [
      "the service repeats in its refusal what it got",
      "the key and the values are in the message, and so in your log",
      "`[redacted]` stands in their place",
      async () => {
        const { hand, client } = await saveByBoth((socket, { lines, body }) => {
          socket.write(whole(JSON.stringify({ message: `${lines.join()} ${body}` }), 400));
        });
        expect(hand.error?.message).toContain(key);
        expect(hand.error?.message).toContain(values.customer);
        expect(client.error).toBeInstanceOf(BadRequestError);
        expect(client.error?.message).toContain("[redacted]");
        expect(client.error?.message).not.toContain("CANARY");
      },
    ],
    [
      "307 or 308 leads to another host",
      "the values go there; the key does not",
      "`ApiError`; nothing goes there",
      async () => {
        for (const status of [307, 308]) {
          const other = await start(giving(whole(pdf)));
          const answer = giving(whole("", status, [`location: ${other.origin}/elsewhere`]));
          const { hand, client } = await saveByBoth(answer);
          expect(hand.content).toEqual(pdf);
          const [request, ...more] = other.requests;
          expect(JSON.parse(String(request?.body))).toEqual(values);
          expect(request?.lines.join()).not.toContain(key);
          expect(client.error).toBeInstanceOf(ApiError);
          expect(more).toEqual([]);
        }
      },
    ],
    [
      "301, 302 or 303 leads to another page",
      "that page is saved as the PDF",
      "`ApiError`",
      async () => {
        for (const status of [301, 302, 303]) {
          const { hand, client } = await saveByBoth((socket, { lines }) => {
            const isPage = lines[0]?.startsWith("GET /login");
            socket.write(isPage ? whole("<html>Sign in</html>") : whole("", status, ["location: /login"]));
          });
          expect(String(hand.content)).toBe("<html>Sign in</html>");
          expect(client).toMatchObject({ error: expect.any(ApiError), content: undefined, asked: 1 });
        }
      },
    ],
    [
      "the uid is `../../keys`",
      "another path is asked, with the key",
      "it stays one segment of the path",
      async () => {
        const server = await start(giving(whole(pdf)));
        const { byHand, byClient } = await both(server);
        await save(byHand, "../../keys");
        await save(await byClient(), "../../keys");
        expect(server.requests.map(({ lines }) => lines[0])).toEqual([
          "POST /api/keys/generate-sync HTTP/1.1",
          "POST /api/v1/templates/..%2F..%2Fkeys/generate-sync HTTP/1.1",
        ]);
        expect(server.requests[0]?.lines.join()).toContain(key);
      },
    ],
    [
      "a value is `NaN`, or a `Map`",
      "the document says `null`, or lacks it",
      "`ValuesError`; nothing is sent",
      async () => {
        const server = await start(giving(whole(pdf)));
        const { byHand, byClient } = await both(server);
        const odd = { total: Number.NaN, lines: new Map([["Café menu", "£640.00"]]) };
        await save(byHand, "invoice", odd);
        expect((await save(await byClient(), "invoice", odd)).error).toBeInstanceOf(ValuesError);
        expect(server.requests.map(({ body }) => String(body))).toEqual(['{"total":null,"lines":{}}']);
      },
    ],
    [
      "the variable of the key is not set",
      "`API-Key undefined` is sent",
      "`ConfigurationError`; nothing is sent",
      async () => {
        vi.stubEnv("PDF_API_KEY", undefined);
        const server = await start(giving(whole(pdf)));
        const { byHand, byClient } = await both(server);
        await save(byHand);
        expect(await rejectionOf(byClient())).toBeInstanceOf(ConfigurationError);
        expect(server.requests).toHaveLength(1);
        expect(server.requests[0]?.lines).toContain("Authorization: API-Key undefined");
      },
    ],
    [
      "the folder of the file does not exist",
      "an error, when the document is rendered",
      "`SaveError`; nothing is sent",
      async () => {
        const server = await start(giving(whole(pdf)));
        const { byHand, byClient } = await both(server);
        const path = join(temporaryFolder(), "missing", "invoice.pdf");
        expect(await rejectionOf(byHand("invoice", values, path))).toMatchObject({ code: "ENOENT" });
        expect(server.requests).toHaveLength(1);
        expect(await rejectionOf((await byClient())("invoice", values, path))).toBeInstanceOf(SaveError);
        expect(server.requests).toHaveLength(1);
      },
    ],
  ];

/** By hand, this is saved as the PDF; the client fails with this, after asking so many times, and saves nothing. */
async function expectSaved(
  content: string | Buffer,
  answer: Answer,
  failure: new (...given: never[]) => Error,
  asked = 1,
): Promise<void> {
  const { hand, client } = await saveByBoth(answer);
  expect(hand).toEqual({ error: undefined, content: Buffer.from(content), asked: 1 });
  expect(client.error).toBeInstanceOf(failure);
  expect(client).toMatchObject({ content: undefined, asked });
}

/** The client alone, by a server that counts anew. */
async function asClient(answer: Answer) {
  const { byClient } = await both(await start(answer));
  return save(await byClient());
}

describe("where a hand-written fetch and the client differ", () => {
  it.each(rows)("%s", (_what, _byHand, _byClient, see) => see());

  it("is what the guide tells, no row more and none less", () => {
    const [, table = ""] =
      /\n\| what happens \|.*\n\| ---.*\n((?:\|.*\n)+)/.exec(guideText("migrating")) ?? [];
    const lines = rows.map(([what, byHand, byClient]) => `| ${what} | ${byHand} | ${byClient} |`);
    expect(table.trimEnd().split("\n")).toEqual(lines);
  });
});

it.each([
  ["shorter than its content-length", closingAfter(whole(pdf).subarray(0, -1_000))],
  ["in chunks, without its last", closingAfter(head(200, ["transfer-encoding: chunked"]), framed(half))],
])("a document that is %s is found out by both, and asked for again by the client", async (_, answer) => {
  const { hand, client } = await saveByBoth(answer);
  expect(hand).toMatchObject({ error: { message: "terminated" }, content: undefined, asked: 1 });
  expect(client).toMatchObject({ error: expect.any(TruncatedPdfError), content: undefined, asked: 3 });
});
