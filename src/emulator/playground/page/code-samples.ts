/** The call that the code samples make. */
export interface CodeOf {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly uid: string;
  readonly values: object;
}

/** Longer values are read from a file, because a command line in Windows has at most 8,191 characters. */
const longestArgument = 6_000;

/**
 * Generates the same call in several languages. Each sample can be pasted: into a `.mjs` or `.ts` file of any package, also one that
 * uses CommonJS, in which `await` is not allowed outside functions, or into a shell.
 */
export const codeSamples: Readonly<Record<string, (call: CodeOf) => string>> = {
  TypeScript: ({ baseUrl, uid, values }) => `import { TemplatePdf } from "template-pdf";

// Reads the API key from the environment variable TEMPLATE_PDF_API_KEY.
const pdfs = new TemplatePdf({ baseUrl: ${text(baseUrl)} });

async function main() {
  await pdfs.generate(${text(uid)}, ${literal(values, "  ")}).saveTo(${text(fileOf(uid))});
}

main();
`,
  fetch: ({ baseUrl, uid, values }) => `import { writeFile } from "node:fs/promises";

const apiKey = process.env.TEMPLATE_PDF_API_KEY;

async function main() {
  const response = await fetch(${text(urlOf(baseUrl, uid))}, {
    method: "POST",
    headers: { authorization: \`API-Key \${apiKey}\`, "content-type": "application/json" },
    body: JSON.stringify(${literal(values, "    ")}),
  });
  if (!response.ok) throw new Error(await response.text());
  await writeFile(${text(fileOf(uid))}, new Uint8Array(await response.arrayBuffer()));
}

main();
`,
  cURL: ({
    baseUrl,
    apiKey,
    uid,
    values,
  }) => `${environment(apiKey)}curl -sS --fail-with-body -o ${posix(fileOf(uid))} \\
  -H "Authorization: API-Key $TEMPLATE_PDF_API_KEY" \\
  -H 'Content-Type: application/json' \\
  ${isLong(values) ? `--data-binary ${posix(`@${valuesFileOf(uid)}`)}` : `-d ${posix(indented(values))}`} \\
  ${posix(urlOf(baseUrl, uid))}
`,
  PowerShell: ({ baseUrl, apiKey, uid, values }) => `$env:TEMPLATE_PDF_API_KEY = ${powerShell(apiKey)}
$values = ${isLong(values) ? `Get-Content -Raw -Encoding UTF8 ${powerShell(valuesFileOf(uid))}` : `@'\n${indented(values)}\n'@`}
$call = @{
  Method = 'Post'
  Uri = ${powerShell(urlOf(baseUrl, uid))}
  Headers = @{ Authorization = "API-Key $env:TEMPLATE_PDF_API_KEY" }
  ContentType = 'application/json'
  Body = [Text.Encoding]::UTF8.GetBytes($values)
  OutFile = ${powerShell(fileOf(uid))}
  UseBasicParsing = $true
}
Invoke-WebRequest @call
`,
  Command: ({ baseUrl, apiKey, uid, values }) => {
    const file = posix(valuesFileOf(uid));
    const [before, from] = isLong(values) ? ["", file] : [`printf %s ${posix(indented(values))} |\n  `, "-"];
    return `${environment(apiKey)}${before}npx template-pdf generate \\
  --base-url ${posix(baseUrl)} --values ${from} -o ${posix(fileOf(uid))} -- ${posix(uid)}
`;
  },
};

/** Sets the API key in a POSIX shell. No other file contains it. */
export function environment(apiKey: string): string {
  return `export TEMPLATE_PDF_API_KEY=${posix(apiKey)}\n`;
}

/** Whether the samples for shells read values from the file {@link valuesFileOf}. */
export function isLong(values: object): boolean {
  return indented(values).length > longestArgument;
}

/** Returns the name of the file with values that are too long for a command line. */
export function valuesFileOf(uid: string): string {
  return fileOf(uid).replace(/\.pdf$/, ".values.json");
}

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
function posix(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}

/** Quotes text for PowerShell, in which typographic quotation marks also end a string. */
function powerShell(value: string): string {
  return `'${value.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
}
