// @ts-check
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entryPoints } from "../../scripts/entries.mjs";
import { chapters, guides, reference } from "./chapters.mjs";
import { repository } from "./repository.mjs";

/** @param {string} path - from the root of the repository */
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const { name } = JSON.parse(readFileSync(at("package.json"), "utf8"));

/** The part of markdown-it that this file uses. @typedef {{ linkify: { set(options: object): void }, renderer: { rules: Record<string, () => string> } }} Markdown */

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name,
  readme: at("README.md"),
  entryPoints: Object.values(entryPoints).map(at),
  sortEntryPoints: false,
  projectDocuments: Object.values(chapters).flat().map(at),
  tsconfig: at("docs/site/tsconfig.json"),
  // `npm run check` compiles the whole repository.
  skipErrorChecking: true,
  plugin: [at("docs/site/plugin.mjs")],

  out: at("site"),
  router: "pages",
  includeVersion: true,
  favicon: at("docs/site/favicon.svg"),
  customCss: at("docs/site/style.css"),
  navigationLinks: { GitHub: repository },
  navigation: { includeGroups: true },
  headings: { readme: false, document: false },
  groupOrder: [
    ...Object.keys(guides),
    reference,
    ...Object.keys(chapters).filter((chapter) => !(chapter in guides)),
    "Functions",
    "Variables",
    "Classes",
    "Interfaces",
    "Type Aliases",
    "*",
  ],
  lightHighlightTheme: "github-light-high-contrast",
  darkHighlightTheme: "github-dark-high-contrast",
  markdownItLoader(/** @type {Markdown} */ parser) {
    // Otherwise README.md would become a link to a domain.
    parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
    // A wide table scrolls separately, also with the keyboard.
    parser.renderer.rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
    parser.renderer.rules["table_close"] = () => "</table></div>";
  },
  highlightLanguages: ["ts", "tsx", "js", "sh", "json", "html", "dotenv", "yaml"],
  ignoredHighlightLanguages: ["crontab"],
  searchInComments: true,
  searchInDocuments: true,
  searchGroupBoosts: {
    ...Object.fromEntries(Object.keys(guides).map((chapter) => [chapter, 3])),
    Classes: 2,
    Functions: 2,
    Properties: 0.5,
    Reports: 0.5,
    Decisions: 0.5,
  },
  includeHierarchySummary: false,
  visibilityFilters: {},
  sort: ["documents-first", "source-order"],

  // Links to declarations in the repository. TypeDoc counts their paths from the folder of the sources.
  disableGit: true,
  gitRevision: "main",
  basePath: at(""),
  sourceLinkTemplate: `${repository}/blob/{gitRevision}/src/{path}#L{line}`,

  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  intentionallyNotExported: [
    // Intermediate types; the resulting types are documented.
    "JobWith",
    "AsJson",
    "TemplateOf",
    "ValuesOf",
    // Parameters of error constructors; the errors have them as properties.
    "ApiErrorFacts",
    "ErrorFacts",
    "RunFacts",
    // The parts of `fetch` and of Standard Schema that the package uses.
    "FetchInit",
    "FetchResponse",
    "StandardResult",
  ],
  intentionallyNotDocumented: [
    // A condition of a type; the other `template` of that type is documented.
    "template-pdf/bulk.Fitting.__type.template",
  ],
  validation: {
    notExported: true,
    // test/docs/links.test.ts checks these, and knows folders.
    invalidPath: false,
    invalidLink: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
};
