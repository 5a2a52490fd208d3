/** The call that the code samples make. */
export interface CodeOf {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly uid: string;
  readonly values: object;
}

/** Generates the same call in several languages. */
export const codeSamples: Readonly<Record<string, (call: CodeOf) => string>> = {
  TypeScript: ({ baseUrl, apiKey, uid, values }) => `import { TemplatePdf } from "template-pdf";

const pdfs = new TemplatePdf({
  baseUrl: ${text(baseUrl)},
  apiKey: ${text(apiKey)},
});
await pdfs.generate(${text(uid)}, ${literal(values)}).saveTo(${text(fileOf(uid))});
`,
  fetch: ({ baseUrl, apiKey, uid, values }) => `import { writeFile } from "node:fs/promises";

const response = await fetch(${text(urlOf(baseUrl, uid))}, {
  method: "POST",
  headers: { authorization: ${text(`API-Key ${apiKey}`)}, "content-type": "application/json" },
  body: JSON.stringify(${literal(values, "  ")}),
});
if (!response.ok) throw new Error(await response.text());
await writeFile(${text(fileOf(uid))}, new Uint8Array(await response.arrayBuffer()));
`,
  cURL: ({ baseUrl, apiKey, uid, values }) => `curl -sS --fail-with-body -o ${word(fileOf(uid))} \\
  -H ${word(`Authorization: API-Key ${apiKey}`)} \\
  -H 'Content-Type: application/json' \\
  -d ${word(indented(values))} \\
  ${word(urlOf(baseUrl, uid))}
`,
  Command: ({ baseUrl, apiKey, uid, values }) => `printf %s ${word(indented(values))} |
  TEMPLATE_PDF_API_KEY=${word(apiKey)} npx template-pdf generate \\
  --base-url ${word(baseUrl)} --values - -o ${word(fileOf(uid))} -- ${word(uid)}
`,
};

function urlOf(baseUrl: string, uid: string): string {
  return `${baseUrl}/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`;
}

/** Returns a file name that is valid on every system. */
function fileOf(uid: string): string {
  return `${uid.replace(/[^\p{L}\p{N}._-]/gu, "_").replace(/^[.-]/, "_")}.pdf`;
}

function text(value: string): string {
  return JSON.stringify(value);
}

function indented(values: object): string {
  return JSON.stringify(values, null, 2);
}

/** Writes values in JavaScript, in which a plain `"__proto__":` would set the prototype. Each key is at the start of a line. */
function literal(values: object, by = ""): string {
  return indented(values)
    .replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
    .replaceAll("\n", `\n${by}`);
}

/** Quotes text for a POSIX shell. */
function word(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
