// @ts-check
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

/**
 * The guides by chapter, in the order of the site, each with a sentence for search engines and llms.txt.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
export const guides = {
  "Getting started": {
    "quick-start": "Install the package and generate the first PDF, with an account or with the emulator.",
    concepts: "Learn the words of the guides, and see which limits apply and how to change them.",
    streaming:
      "Stream a PDF to a response or to disk, or read it into memory, and compare all output methods.",
    "typed-templates":
      "Check values at compile time and at run time with types, schemas and generated types.",
  },
  "Errors and timeouts": {
    errors: "Handle every error class, show errors to users, and log them without keys and values.",
    "error-codes": "Look up the cause and the remedy of each error by its code.",
    retries: "Configure retries, prevent a document from being rendered twice, and retry in a job queue.",
    troubleshooting: "Find the cause and the remedy of a problem by its symptom.",
    timeouts: "Set timeouts for each phase of a call, cancel calls, and shut down.",
  },
  "Web applications": {
    browser: "Generate, download and show PDFs in a browser without exposing the API key.",
    handler: "Keep the API key on your server with a request handler for every common server framework.",
    recipes: "Copy complete files for everyday tasks, such as NestJS, SvelteKit, React and e-mail.",
  },
  Testing: {
    testing: "Test your code with a fake service, with faults, and with mocks such as MSW and nock.",
    emulator: "Run the service on your own machine with template files, a playground and real PDFs.",
    templates: "Write templates for invoices, payslips, certificates and letters, in one language or two.",
  },
  "Many documents": {
    bulk: "Generate many documents at the rate that the service allows, and resume after a crash.",
    queues: "Distribute a bulk run over many machines with Redis or Valkey.",
    "command-line": "Generate one or many PDFs, types and an emulator from a terminal or a script.",
    mcp: "Let an assistant generate documents and write templates, with a server for the Model Context Protocol.",
  },
  Production: {
    "proxies-and-tls":
      "Configure proxies, certificates, your own fetch, serverless functions and other runtimes.",
    observability: "Add logs, metrics and traces with hooks and OpenTelemetry.",
    security: "Keep keys and values secret, and see what is defended against hostile input.",
    options: "Look up every option with its type, default and meaning.",
    performance: "Compare CPU time, memory and bundle size with other clients.",
    migrating:
      "Replace code that uses fetch, axios, got or undici, or call the endpoint from another language.",
  },
};

/** The heading of the chapter of entry points. */
export const reference = "Reference";

/** @param {string} name */
export const pathOfGuide = (name) => `docs/guides/${name}.md`;

/**
 * The pages of each chapter, except the first page of the site, as paths in the repository.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const chapters = {
  ...Object.fromEntries(
    Object.entries(guides).map(([chapter, names]) => [chapter, Object.keys(names).map(pathOfGuide)]),
  ),
  Project: ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  Reports: pagesIn("docs/reports"),
  Decisions: pagesIn("docs/decisions"),
};

/** @param {string} folder */
function pagesIn(folder) {
  return readdirSync(fileURLToPath(new URL(folder, root)))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => `${folder}/${name}`);
}
