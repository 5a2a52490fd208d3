import { common, tsc } from "./compilers.ts";
import { link, makeProject, runNode } from "./consumer.ts";

// Each entry point is used correctly, with exports that need names in declarations, and incorrectly, to show that its types are
// not `any`.

const everywhere = `
  import { type AnyTemplate, type Bytes, TemplatePdf, template, type Values } from "template-pdf";
  import { type AnyPdf, download, type HeldPdf, objectUrl } from "template-pdf/browser";
  import { createHandler, type HandlerOptions } from "template-pdf/handler";
  import { fakeService, faults, pdfText } from "template-pdf/testing";

  interface Invoice {
    total: string;
  }
  const options = { baseUrl: "https://pdf.example.com", apiKey: async () => "key" };
  const client = new TemplatePdf(options);
  const typed = new TemplatePdf<{ inv_2024: Invoice }>(options);
  const invoice = template<Invoice>("inv_2024");

  export async function anyUid(signal: AbortSignal): Promise<Bytes> {
    await using document = await client.generate("inv_2024", { total: "1" }, { signal });
    for await (const chunk of client.generate(invoice, { total: "1" })) chunk satisfies Uint8Array;
    return document.bytes();
  }
  // @ts-expect-error no such uid
  typed.generate("inv_2025", { total: "1" });
  export const ofTemplate = <P extends AnyTemplate>(each: P, values: Values<P>) => client.generate(each, values);

  export const handlerOptions: HandlerOptions = { client: typed, templates: { invoice }, authorize: () => true };
  export const handler = createHandler({ ...handlerOptions, onError: (error, { request }) => console.error(error, request.url) });
  // @ts-expect-error \`authorize\` is missing
  createHandler({ client, templates: { invoice } });

  export async function show(pdf: AnyPdf, signal: AbortSignal): Promise<HeldPdf> {
    await download(client.generate("inv_2024", {}), "invoice.pdf");
    // @ts-expect-error bytes are not a Blob
    await objectUrl(await client.generate("inv_2024", {}).bytes());
    return objectUrl(pdf, { signal });
  }

  export const listed = fakeService({ templates: [template("a"), template<Invoice, "b">("b")] });
  export const service = fakeService<{ inv_2024: Invoice }>();
  new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
  service.fail(faults.cutOff({ afterBytes: 1 }), { uid: "inv_2024", times: 1 });
  // MSW is not installed here.
  service.handlers satisfies readonly { nothing: string }[];
  export const text = (bytes: Bytes): Promise<string> => pdfText(bytes);
`;

const inNode = `
  import { createServer, type IncomingMessage } from "node:http";
  import { type Readable } from "node:stream";
  import { TemplatePdf } from "template-pdf";
  import { type BulkSummary, folder, generateMany, runBulk } from "template-pdf/bulk";
  import { startEmulator } from "template-pdf/emulator";
  import { createHandler } from "template-pdf/handler";
  import { nodeListener } from "template-pdf/handler/node";
  import { bulkQueue } from "template-pdf/queue";

  interface Signed extends IncomingMessage {
    user?: { id: string };
  }
  const client = new TemplatePdf();
  const handler = createHandler({ client, templates: {}, authorize: (_request, _name, userId: string) => userId !== "" });
  export const listener = nodeListener(handler, (incoming: Signed) => incoming.user?.id ?? "");
  createServer(listener);
  // @ts-expect-error the context is missing
  nodeListener(handler);

  export async function run(client: TemplatePdf<{ inv_2024: { total: string } }>): Promise<BulkSummary> {
    const stream: Readable = await client.generate("inv_2024", { total: "1" }).nodeStream();
    stream.destroy();
    const jobs = [{ template: "inv_2024" as const, values: { total: "1" }, row: 7 }];
    for await (const result of generateMany(client, jobs, { use: (pdf, { row }) => pdf.saveTo(\`\${row}.pdf\`) })) {
      if (result.status === "fulfilled") result.value.bytes satisfies number;
    }
    // @ts-expect-error no such type
    generateMany(client, [{ template: "inv_2024", values: { total: 1 } }]);
    await (await startEmulator({ templates: "templates" })).close();
    const queue = bulkQueue<{ inv_2024: { total: string } }>({ connection: "redis://localhost", name: "invoices" });
    await queue.add("run", jobs, { key: ({ row }) => row });
    // @ts-expect-error no such type
    await queue.add("run", [{ template: "inv_2024", values: { total: 1 } }]);
    await queue.work({ client, sink: folder("out/{{total}}.pdf") }).close();
    return runBulk({ client, jobs, key: ({ row }) => String(row), sink: folder((job) => job.values.total), journal: "run.journal" });
  }
`;

/** A browser also needs names for the types that it shares with Node. */
const inBrowser = `
  import { TemplatePdf } from "template-pdf";
  export async function show(client: TemplatePdf): Promise<string> {
    const blob: Blob = await client.generate("inv_2024", {}).blob();
    const stream: ReadableStream<Uint8Array> = await client.generate("inv_2024", {}).stream();
    await stream.cancel();
    return URL.createObjectURL(blob);
  }
`;

/** Imports the entry points that do not need Node. */
const withoutGlobals = `
  import { TemplatePdf, type ClientOptions } from "template-pdf";
  import type { Handler } from "template-pdf/handler";
  export type { Handler };
  export * as browser from "template-pdf/browser";
  export * as bulk from "template-pdf/bulk";
  export const pdfs = (options: ClientOptions): TemplatePdf => new TemplatePdf(options);
  export const size = async (pdf: TemplatePdf): Promise<number> => (await pdf.generate("inv_2024", {}).bytes()).length;
`;

/** A CommonJS module, and an ES module that imports it: both have one class, as when they run. */
const required = `
  import { TemplatePdf, type GeneratedPdf } from "template-pdf";
  export const client: TemplatePdf = new TemplatePdf();
  export type Pdf = GeneratedPdf;
`;
const inBothFormats = `
  import type { GeneratedPdf, TemplatePdf } from "template-pdf";
  import { client, type Pdf } from "./required.cjs";
  client satisfies TemplatePdf;
  export const same = (pdf: Pdf): GeneratedPdf => pdf;
`;

const node = { module: "nodenext", lib: ["ES2022"], types: ["node"] };
const bundled = { module: "esnext", moduleResolution: "bundler" };

/** `moduleResolution: node`, which ignores `exports`. TypeScript 6 accepts it only with `ignoreDeprecations`, and 7 not at all. */
const legacy = { module: "commonjs", moduleResolution: "node10", esModuleInterop: true };

const projects = {
  "a Node project of ES modules": {
    type: "module",
    options: node,
    files: {
      "everywhere.ts": everywhere,
      "node.ts": inNode,
      "required.cts": required,
      "both.ts": inBothFormats,
    },
  },
  "a Node project of CommonJS modules": {
    type: "commonjs",
    options: node,
    files: { "everywhere.ts": everywhere, "node.ts": inNode },
  },
  "a Node project with `moduleResolution: node`": {
    type: "commonjs",
    options: { ...legacy, lib: ["ES2022"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode },
  },
  "a bundled project for Node and browsers": {
    type: "module",
    options: { ...bundled, lib: ["ES2022", "DOM"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode, "browser.ts": inBrowser },
  },
  "a browser project without @types/node": {
    type: "module",
    options: { ...bundled, lib: ["ES2022", "DOM", "DOM.AsyncIterable"], types: [] },
    files: { "everywhere.ts": everywhere, "browser.ts": inBrowser },
  },
  "a project without the types of Node or browsers": {
    type: "module",
    options: { ...bundled, lib: ["ES2022"], types: [] },
    files: { "globals.ts": withoutGlobals },
  },
} as const;

export type ProjectTitle = keyof typeof projects;

export const legacyProject = "a Node project with `moduleResolution: node`" satisfies ProjectTitle;

/** All projects that TypeScript 7 accepts. */
export const modernProjects = (Object.keys(projects) as ProjectTitle[]).filter(
  (title) => title !== legacyProject,
);

/** Compiles a kind of project with a version of TypeScript. Returns its errors. */
export function compileProject(version: string, title: ProjectTitle): Promise<string> {
  const { type, options, files } = projects[title];
  const name = `${version}-${title.replaceAll(/\W+/g, "-")}`;
  const root = makeProject(options.types[0] ? `with-node-types/${name}` : name, {
    "package.json": JSON.stringify({ type }),
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        ...common,
        ...options,
        ...(title === legacyProject && version.startsWith("6.") && { ignoreDeprecations: "6.0" }),
      },
      include: ["*.ts", "*.cts"],
    }),
    ...files,
  });
  if (options.types[0]) link(root, "@types/node");
  return runNode(root, tsc(version), "--pretty", "false");
}
