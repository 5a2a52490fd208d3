import { expect, it } from "vitest";
import { common, link, tsc } from "./compilers.ts";
import { makeProject, runNode } from "./consumer.ts";

const everywhere = `
  import { type AnyTemplate, type Bytes, TemplatePdf, TemplatePdfError, template, type Values } from "template-pdf";
  import { type AnyPdf, download, type HeldPdf, type ObjectUrl, objectUrl } from "template-pdf/browser";
  import { createHandler, type HandlerError, type HandlerOptions } from "template-pdf/handler";
  import { fakeService, faults, pdfText } from "template-pdf/testing";

  const options = { baseUrl: "https://pdf.example.com", apiKey: async () => "key" };
  const client = new TemplatePdf(options);

  export async function anyUid(signal: AbortSignal): Promise<Bytes> {
    await using document = await client.generate("inv_2024", { total: "1" }, { signal });
    const answer: Response = document.response();
    for await (const chunk of client.generate("inv_2024", { total: "1" })) chunk satisfies Uint8Array;
    return answer.ok ? client.generate("inv_2024", {}).bytes() : document.bytes();
  }

  interface Invoice {
    total: string;
  }
  const typed = new TemplatePdf<{ inv_2024: Invoice }>(options);
  typed.generate("inv_2024", { total: "1" }).catch((error: unknown) => {
    if (TemplatePdfError.is(error)) error.code satisfies string;
  });
  // @ts-expect-error no such uid
  typed.generate("inv_2025", { total: "1" });
  // @ts-expect-error no such type
  typed.generate("inv_2024", { total: 1 });
  // @ts-expect-error no such option
  new TemplatePdf({ ...options, retires: 1 });
  const invoice = template<Invoice>("inv_2024");
  client.generate(invoice, { total: "1" });
  // @ts-expect-error no such type
  client.generate(invoice, { total: 1 });
  template("inv_2024").uid satisfies "inv_2024";
  export const values: Values<typeof invoice> & Values<"inv_2024", { inv_2024: Invoice }> = { total: "1" };

  const authorize = (request: Request, name: string) => name === "invoice" || new Response(request.url);
  const needed = { client: typed, templates: { invoice }, authorize };
  export const handler = createHandler({
    ...needed,
    values: async (request, values, name) => {
      name satisfies "invoice";
      return { ...values, total: request.headers.get("x-total") };
    },
    filename: (_request, _values, name) => name,
    disposition: "inline",
    onError: (error: unknown, { request, requestId }: HandlerError) => console.error(error, request.url, requestId),
  });
  handler satisfies (request: Request) => Promise<Response>;
  export const handlerOptions: HandlerOptions = needed;
  // @ts-expect-error \`authorize\` is missing
  createHandler({ client, templates: { invoice } });
  // @ts-expect-error no such type
  createHandler({ ...needed, filename: () => 1 });
  // @ts-expect-error no such option
  createHandler({ ...needed, origin: [] });

  export async function show(pdf: AnyPdf, signal: AbortSignal): Promise<HeldPdf> {
    await download(client.generate("inv_2024", {}), "invoice.pdf");
    await download(await client.generate("inv_2024", {}));
    await download(pdf);
    const shown: ObjectUrl = await objectUrl(pdf, { signal });
    shown.blob satisfies Blob;
    shown.revoke();
    // @ts-expect-error a form of a document, but no Blob
    await objectUrl(await client.generate("inv_2024", {}).bytes());
    return shown;
  }

  export const listed = fakeService({ templates: [template("a"), template<Invoice, "b">("b")] });
  export const { slow, rateLimited, serverError, cutOff } = faults;
  export const generate = client.generate.bind(client);
  export const rendered = <U extends "inv_2024">(uid: U, values: Values<U, { inv_2024: Invoice }>) =>
    typed.generate(uid, values);
  export const ofTemplate = <P extends AnyTemplate>(each: P, values: Values<P>) => client.generate(each, values);
  export const service = fakeService<{ inv_2024: Invoice }>();
  new TemplatePdf({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch: service.fetch });
  service.fail(faults.cutOff({ afterBytes: 1 }), { uid: "inv_2024", times: 1 });
  export const total: string | undefined = service.calls[0]?.values.total;
  // @ts-expect-error no such template
  service.fail(faults.reset(), { uid: "inv_2025" });
  // Any, as nobody has installed MSW here.
  service.handlers satisfies readonly { nothing: string }[];
  export const text = (bytes: Bytes): Promise<string> => pdfText(bytes);
`;

const inNode = `
  import type { Readable } from "node:stream";
  import { TemplatePdf } from "template-pdf";
  import { type BulkSummary, folder, generateMany, runBulk } from "template-pdf/bulk";
  import { startEmulator } from "template-pdf/emulator";

  export async function forms(client: TemplatePdf): Promise<Buffer> {
    const readable: Readable = await client.generate("inv_2024", {}).nodeStream();
    readable.destroy();
    // @ts-expect-error a stream, not any
    (await client.generate("inv_2024", {}).nodeStream()) satisfies string;
    const jobs = [{ template: "inv_2024", values: { total: "1" }, row: 7 }];
    for await (const result of generateMany(client, jobs, { use: (pdf, { row }) => pdf.saveTo(\`\${row}.pdf\`) })) {
      result.job.row satisfies number;
      if (result.status === "fulfilled") result.value.bytes satisfies number;
    }
    const typed = new TemplatePdf<{ inv_2024: { total: string } }>();
    generateMany(typed, [{ template: "inv_2024", values: { total: "1" } }]);
    // @ts-expect-error no such type
    generateMany(typed, [{ template: "inv_2024", values: { total: 1 } }]);
    // @ts-expect-error no such uid
    generateMany(typed, [{ template: "inv_2025", values: { total: "1" } }]);
    const summary: BulkSummary = await runBulk({
      client: typed,
      jobs: (async function* () {
        yield { template: "inv_2024" as const, values: { total: "1" }, row: 7n };
      })(),
      key: ({ row }) => String(row),
      sink: folder((job) => job.values.total),
      journal: "run.journal",
    });
    summary.fulfilled satisfies number;
    const { path, bytes } = await client.generate("inv_2024", {}).saveTo(new URL("file:///invoice.pdf"));
    path satisfies string;
    bytes satisfies number;
    const emulator = await startEmulator({ templates: "templates" });
    await emulator.close();
    return client.generate("inv_2024", {}).buffer();
  }
`;

/** In a page, everything that is there for all must have a type of its own, too. */
const inPage = `
  import { TemplatePdf } from "template-pdf";

  export async function show(client: TemplatePdf): Promise<string> {
    const blob: Blob = await client.generate("inv_2024", {}).blob();
    const stream: ReadableStream<Uint8Array> = await client.generate("inv_2024", {}).stream();
    await stream.cancel();
    return URL.createObjectURL(blob);
  }
`;

/** A file of CommonJS, which one of ES modules imports. */
const required = `
  import { TemplatePdf, type GeneratedPdf } from "template-pdf";
  export const client: TemplatePdf = new TemplatePdf();
  export type Pdf = GeneratedPdf;
`;
const inBothFormats = `
  import type { GeneratedPdf, TemplatePdf } from "template-pdf";
  import { client, type Pdf } from "./required.cjs";

  // One class, as it is one when the program runs.
  client satisfies TemplatePdf;
  export const same = (pdf: Pdf): GeneratedPdf => pdf;
`;

/** Each with its kind of modules, its compiler options, and whether it has @types/node. */
const projects = {
  "a Node project of ES modules, without the types of pages": {
    type: "module",
    options: { module: "nodenext", lib: ["ES2022"], types: ["node"] },
    files: {
      "everywhere.ts": everywhere,
      "node.ts": inNode,
      "required.cts": required,
      "both.ts": inBothFormats,
    },
  },
  "a Node project of CommonJS modules": {
    type: "commonjs",
    options: { module: "nodenext", lib: ["ES2022"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode },
  },
  "a bundled project with the types of both": {
    type: "module",
    options: { module: "esnext", moduleResolution: "bundler", lib: ["ES2022", "DOM"], types: ["node"] },
    files: { "everywhere.ts": everywhere, "node.ts": inNode, "page.ts": inPage },
  },
  "a project for pages, without @types/node": {
    type: "module",
    options: {
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["ES2022", "DOM", "DOM.AsyncIterable"],
      types: [],
    },
    files: { "everywhere.ts": everywhere, "page.ts": inPage },
  },
} as const;

/** Makes the tests, one for each compiler and each kind of project, that the types compile there. */
export function testProjects(versions: readonly string[]): void {
  for (const version of versions) {
    it.concurrent.each(Object.entries(projects))(
      `compile with TypeScript ${version} in %s`,
      async (title, project) => {
        const { type, options, files } = project;
        const name = `${version}-${title.replaceAll(/\W+/g, "-")}`;
        const root = makeProject(options.types[0] ? `with-node-types/${name}` : name, {
          "package.json": JSON.stringify({ type }),
          "tsconfig.json": JSON.stringify({
            compilerOptions: { ...common, ...options },
            include: ["*.ts", "*.cts"],
          }),
          ...files,
        });
        if (options.types[0]) link(root, "@types/node");
        expect(await runNode(root, tsc(version), "--pretty", "false")).toBe("");
      },
    );
  }
}
