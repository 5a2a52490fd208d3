import { EventEmitter } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { objectUrl } from "../../../src/browser/index.ts";
import { folder, generateMany, runBulk } from "../../../src/bulk/index.ts";
import { run } from "../../../src/cli/run.ts";
import { startEmulator } from "../../../src/emulator/index.ts";
import { createHandler } from "../../../src/handler/index.ts";
import { nodeListener } from "../../../src/handler/node.ts";
import {
  type AnyTemplate,
  type ClientOptions,
  TemplatePdf,
  type TemplatePdfError,
  template,
} from "../../../src/index.ts";
import { bulkQueue } from "../../../src/queue/index.ts";
import { assertWholePdf, fakePdf, fakeService, faults, pdfText } from "../../../src/testing/index.ts";

import { untrustedAuthority } from "./hostile-values.ts";

/** One use of the package. Its result does not depend on when it runs. */
export type Entry = () => unknown;

const document = fakePdf({ text: "as requested", bytes: 3000 });

/** A service that responds by template, and tells what it received in a header. */
const service = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (text) => {
    body += text;
  });
  request.on("end", () => {
    const { authorization, "x-polluted": polluted } = request.headers;
    const uid = request.url?.split("/").at(-2);
    response.setHeader("x-request-id", `${authorization?.length}|${polluted}|${body}`);
    if (uid === "fails") return response.writeHead(503, { "retry-after": "0" }).end("{}");
    if (uid === "forbidden") return response.writeHead(403).end('{"message":"no"}');
    if (uid === "truncated") return response.writeHead(200).end(document.subarray(0, 1500));
    return response.writeHead(200, { "content-length": document.length }).end(document);
  });
});
service.listen(0, "127.0.0.1");

/** A service whose certificate no client trusts. */
const untrusted = createTlsServer(untrustedAuthority.issue(["localhost"]), (request, response) => {
  response.setHeader("x-request-id", `${request.headers.authorization?.length}`).end(document);
});
untrusted.listen(0, "127.0.0.1");
const baseUrl = () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const root = mkdtempSync(join(tmpdir(), "template-pdf-pollution-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

function inFolder<T>(use: (path: string) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(root, "one-"));
  return use(path);
}

function client(options: ClientOptions = {}): TemplatePdf {
  return new TemplatePdf({ baseUrl: baseUrl(), apiKey: "own-key-of-the-test", ...options });
}

/** Closes the client, so that each use opens its own connection. */
async function using<T>(pdfs: TemplatePdf, use: (pdfs: TemplatePdf) => Promise<T>): Promise<T> {
  try {
    return await use(pdfs);
  } finally {
    await pdfs.close();
  }
}

async function facts(pdfs: TemplatePdf, uid = "a", options?: object): Promise<unknown> {
  return using(pdfs, async () => {
    const pdf = await pdfs.generate(uid, { n: 1 }, options);
    const { status, requestId, attempts } = pdf;
    return { status, requestId, attempts, length: (await pdf.bytes()).length };
  });
}

async function refusal(pdfs: TemplatePdf, uid: string, options?: object): Promise<unknown> {
  return using(pdfs, async () => {
    try {
      return (await pdfs.generate(uid, {}, options).bytes()).length;
    } catch (error) {
      const { code, message, attempts } = error as TemplatePdfError;
      return { code, message: message.replaceAll(baseUrl(), "<service>"), attempts };
    }
  });
}

function settingEnvironment<T>(variables: Record<string, string>, use: () => T): T {
  for (const [name, value] of Object.entries(variables)) process.env[name] = value;
  try {
    return use();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}

function handlerFor(pdfs: TemplatePdf, allow = true) {
  return createHandler({
    client: pdfs,
    templates: { invoice: { uid: "a" } as AnyTemplate, broken: template("fails") },
    authorize: () => allow,
    onError: () => {},
  });
}

const requestOf = (name: string) => {
  // Without a prototype, because `Request` also reads inherited properties.
  const init = Object.assign(Object.create(null), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"n":1}',
  });
  return new Request(`https://own.test/api/v1/templates/${name}/generate-sync`, init);
};

async function responseFacts(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => !/^(?:x-request-id|date)$/.test(name));
  return { status: response.status, headers, length: (await response.arrayBuffer()).byteLength };
}

async function command(args: readonly string[], env: Record<string, string>): Promise<unknown> {
  const outputs = ["", ""];
  const output = (index: number) =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          outputs[index] += String(chunk);
          done();
        },
      }),
      { isTTY: false, columns: 80 },
    );
  const terminal = Object.assign(new EventEmitter(), {
    ...{
      stdin: Readable.from([]),
      stdout: output(0),
      stderr: output(1),
      env,
      platform: "linux",
      exit: () => {},
    },
  });
  const code = await run(args, terminal);
  return { code, outputs: outputs.map((text) => text.replaceAll(root, "").replace(/one-\w+/g, "")) };
}

const jobs = [1, 2, 3].map((n) => ({ template: "a", values: { n } }));

export const entries: Readonly<Record<string, Entry>> = {
  "new TemplatePdf() without settings": () => refusal(new TemplatePdf({}), "a"),
  "new TemplatePdf() with settings from the environment": () =>
    settingEnvironment(
      { TEMPLATE_PDF_BASE_URL: baseUrl(), TEMPLATE_PDF_API_KEY: "key-of-the-environment" },
      () => facts(new TemplatePdf()),
    ),
  "new TemplatePdf() without a base URL": () => facts(new TemplatePdf({ apiKey: "own-key-of-the-test" })),
  "new TemplatePdf() with a key over http": () =>
    facts(new TemplatePdf({ baseUrl: "http://pdf.invalid", apiKey: "own-key-of-the-test" })),
  "generate()": () => facts(client()),
  "generate() with empty options": () => facts(client({ timeouts: {}, retry: {}, hooks: {} }), "a", {}),
  "generate() with empty groups": () => facts(client(), "a", { timeouts: {}, retry: {} }),
  "generate() with headers": () =>
    facts(client({ headers: { "x-a": "1" } }), "a", { headers: { "x-b": "2" } }),
  "generate() from another host": () => {
    // Reaches this machine, although its name is not a loopback address. Without one, a proxy could be used.
    const { port } = service.address() as AddressInfo;
    return facts(client({ baseUrl: `http://0.0.0.0:${port}`, allowInsecureHttp: true }));
  },
  "generate() from a service with an untrusted certificate": async () => {
    const { port } = untrusted.address() as AddressInfo;
    const refused = await refusal(client({ baseUrl: `https://localhost:${port}`, retry: false }), "a");
    return JSON.stringify(refused).replaceAll(String(port), "<port>");
  },
  "generate() with the global fetch": () => facts(client({ fetch: globalThis.fetch as never })),
  "generate() with hooks": async () => {
    const seen: string[] = [];
    const hooks = { request: () => void seen.push("request"), error: () => void seen.push("error") };
    return [await refusal(client({ hooks, retry: false }), "fails"), seen];
  },
  "generate() with a fetch of its own": async () => {
    const seen: string[] = [];
    const note = ({ attempt }: { attempt: number }) => void seen.push(`${attempt}`);
    const answers = [503, 200].map((status) => ({ status, headers: { "retry-after": "0" } }));
    const fetch = async (_url: string, init: object) => {
      seen.push(Object.keys(init).join());
      const { status, headers } = answers.shift() as { status: number; headers: object };
      return new Response(
        status === 200 ? document : "{}",
        Object.assign(Object.create(null), { status, headers }),
      );
    };
    const pdfs = client({ fetch: fetch as never, hooks: { request: note, retry: note } });
    return [(await pdfs.generate("a", {}, {}).bytes()).length, seen];
  },
  "generate() with hooks of a class": async () => {
    class Recorder {
      readonly seen: string[] = [];
      request() {
        this.seen.push("request");
      }
    }
    const hooks = new Recorder();
    return [await facts(client({ hooks })), hooks.seen];
  },
  "generate() that fails": () => refusal(client({ retry: false }), "fails"),
  "generate() that is forbidden": () => refusal(client(), "forbidden"),
  "generate() that is truncated": () => refusal(client({ retry: { limit: 1 } }), "truncated"),
  "generate() of a template without a schema": () =>
    using(
      client(),
      async (pdfs) => (await pdfs.generate({ uid: "a" } as never, { n: 1 } as never)).requestId,
    ),
  "generate() of an object that is not a template": () => refusal(client(), {} as never),
  "with()": () => using(client(), (pdfs) => facts(pdfs.with({}))),
  "template()": () =>
    using(client(), async (pdfs) => (await pdfs.generate(template("a"), { n: 1 })).requestId),
  "response()": () =>
    using(client(), async (pdfs) => responseFacts(await pdfs.generate("a", {}).response({}))),
  "saveTo()": () =>
    inFolder(async (path) =>
      using(client(), async (pdfs) => {
        await pdfs.generate("a", {}).saveTo(join(path, "a.pdf"), {});
        const missing = join(path, "missing", "a.pdf");
        const refused = await pdfs
          .generate("a", {})
          .saveTo(missing, {})
          .catch((error) => error.code);
        return [readFileSync(join(path, "a.pdf")).length, existsSync(missing), refused];
      }),
    ),
  "objectUrl()": async () => {
    const { url, revoke, filename } = await objectUrl(new Blob(["%PDF-"]), {});
    revoke();
    return [url.slice(0, 5), filename];
  },
  "createHandler()": () =>
    using(client(), async (pdfs) => responseFacts(await handlerFor(pdfs)(requestOf("invoice")))),
  "createHandler() that refuses": async () =>
    responseFacts(await handlerFor(client(), false)(requestOf("invoice"))),
  "createHandler() whose service fails": () =>
    using(client(), async (pdfs) => responseFacts(await handlerFor(pdfs)(requestOf("broken")))),
  "createHandler() without options": () => createHandler({} as never),
  "nodeListener()": () =>
    using(client(), async (pdfs) => {
      const server = createServer(nodeListener(handlerFor(pdfs)));
      await new Promise<void>((resolve) =>
        server.listen({ __proto__: null, port: 0, host: "127.0.0.1" } as never, resolve),
      );
      const { port } = server.address() as AddressInfo;
      try {
        return await facts(
          new TemplatePdf({ baseUrl: `http://127.0.0.1:${port}`, apiKey: null }),
          "invoice",
        ).then((found) => ({ ...(found as object), requestId: "" }));
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    }),
  "generateMany()": () =>
    using(client(), async (pdfs) => {
      const found: unknown[] = [];
      for await (const { status, index, error } of generateMany(pdfs, jobs, {}))
        found[index] = [status, String(error)];
      return found;
    }),
  "generateMany() with jobs that have options": () =>
    using(client(), async (pdfs) => {
      const found: unknown[] = [];
      const withOptions = jobs.map((job) => ({ ...job, options: {} }));
      for await (const { status, index } of generateMany(pdfs, withOptions, { ordered: true }))
        found.push([status, index]);
      return found;
    }),
  "runBulk() with a sink": () =>
    inFolder((path) =>
      using(client(), async (pdfs) => {
        const stored: string[] = [];
        const sink = {
          put: async (key: string, pdf: { bytes(): Promise<Uint8Array> }) => {
            stored.push(`${key} ${(await pdf.bytes()).length}`);
          },
        };
        const key = ({ values }: (typeof jobs)[number]) => values.n;
        const { durationMs: _, ...summary } = await runBulk({
          client: pdfs,
          jobs,
          sink,
          key,
          journal: join(path, "j"),
        });
        return [summary, stored.sort()];
      }),
    ),
  "runBulk() with a folder": () =>
    inFolder((path) =>
      using(client(), async (pdfs) => {
        const sink = folder(join(path, "out", "{{n}}.pdf"), {});
        const { durationMs: _, ...summary } = await runBulk({
          client: pdfs,
          jobs,
          sink,
          journal: join(path, "j"),
        });
        return [summary, existsSync(join(path, "out", "1.pdf"))];
      }),
    ),
  "runBulk() without options": () => runBulk({} as never),
  "bulkQueue()": async () => {
    const queue = bulkQueue({ connection: "redis://127.0.0.1:1", name: "q" });
    const work = () => queue.work({} as never);
    const refused = await resultMessage(work);
    await queue.close();
    return [refused, await resultMessage(() => bulkQueue({} as never))];
  },
  "fakeService()": async () => {
    const fake = fakeService({});
    const pdfs = new TemplatePdf({
      baseUrl: fake.baseUrl,
      apiKey: fake.apiKey,
      fetch: fake.fetch as never,
      retry: false,
    });
    const waiting = fake.waitForCall(1, {});
    const bytes = await pdfs.generate("a", { n: 1 }).bytes();
    assertWholePdf(bytes);
    fake.fail(faults.serverError({}), {}).fail(faults.slow({}), {});
    return [await pdfText(bytes), (await waiting).values, fake.baseUrl, await refusal(pdfs, "a")];
  },
  "fakeService().listen()": async () => {
    const fake = fakeService({});
    const server = await fake.listen({});
    try {
      return await facts(new TemplatePdf({ baseUrl: server.baseUrl, apiKey: fake.apiKey })).then((found) => ({
        ...(found as object),
        requestId: "",
      }));
    } finally {
      await server.close();
    }
  },
  faults: () =>
    [faults.rateLimited({}), faults.cutOff({}), faults.stall({}), faults.reset({}), faults.slow({})].map(
      ({ name, ...rest }) => [name, JSON.stringify(rest)],
    ),
  "fakePdf()": () => fakePdf({}).length,
  "startEmulator()": () =>
    inFolder(async (path) => {
      writeFileSync(join(path, "invoice.json"), '{"content":["{{n}}"]}');
      const emulator = await startEmulator({
        templates: path,
        apiKeys: ["emulator-key"],
        limits: { threads: 1 },
      });
      try {
        const pdfs = new TemplatePdf({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, retry: false });
        const found = (await facts(pdfs, "invoice")) as { status: number; length: number };
        return [
          found.status,
          found.length > 500,
          emulator.playgroundUrl !== undefined,
          emulator.templates.length,
        ];
      } finally {
        await emulator.close();
      }
    }),
  "template-pdf generate": () =>
    inFolder(async (path) => {
      const env = { TEMPLATE_PDF_BASE_URL: baseUrl(), TEMPLATE_PDF_API_KEY: "key-of-the-command" };
      const done = await command(["generate", "a", "-o", join(path, "a.pdf")], env);
      return [done, readFileSync(join(path, "a.pdf")).length];
    }),
  "template-pdf generate without settings": () => command(["generate", "a"], {}),
  "template-pdf types": () =>
    inFolder(async (path) => {
      writeFileSync(join(path, "invoice.json"), '{"n":1}');
      return command(["types", join(path, "invoice.json")], {});
    }),
};

async function resultMessage(use: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await use()) ?? "";
  } catch (error) {
    return String(error);
  }
}
