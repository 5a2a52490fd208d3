// @ts-check
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entryPoints } from "../../scripts/entries.mjs";
import { chapters, guides, reference } from "./chapters.mjs";
import { repository } from "./repository.mjs";

/** @param {string} path - from the root of the repository */
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const { name } = JSON.parse(readFileSync(at("package.json"), "utf8"));

const chaptersOfGuides = Object.keys(guides).filter((chapter) => chapters[chapter]?.length);

/** As much of markdown-it as is set here. @typedef {{ linkify: { set(options: object): void }, renderer: { rules: Record<string, () => string> } }} Markdown */

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name,
  readme: at("README.md"),
  entryPoints: Object.values(entryPoints).map(at),
  sortEntryPoints: false,
  projectDocuments: Object.values(chapters).flat().map(at),
  tsconfig: at("docs/site/tsconfig.json"),
  // That is `tsc --noEmit`, which reads all of the repository.
  skipErrorChecking: true,
  plugin: [at("docs/site/plugin.mjs")],

  out: at("site"),
  router: "papers",
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
    // Else README.md would be a link to a country.
    parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
    // A wide table scrolls by itself, by keys, too.
    parser.renderer.rules["table_open"] = () => '<div class="table" tabindex="0"><table>';
    parser.renderer.rules["table_close"] = () => "</table></div>";
  },
  highlightLanguages: ["ts", "tsx", "js", "sh", "json", "html", "dotenv", "yaml"],
  ignoredHighlightLanguages: ["crontab"],
  searchInComments: true,
  searchInDocuments: true,
  searchGroupBoosts: {
    ...Object.fromEntries(chaptersOfGuides.map((chapter) => [chapter, 3])),
    Classes: 2,
    Functions: 2,
    Properties: 0.5,
    Reports: 0.5,
    Decisions: 0.5,
  },
  includeHierarchySummary: false,
  visibilityFilters: {},
  sort: ["documents-first", "source-order"],

  // Where a declaration stands, in the repository and not on this machine; TypeDoc counts the path from the folder of the sources.
  disableGit: true,
  gitRevision: "main",
  basePath: at(""),
  sourceLinkTemplate: `${repository}/blob/{gitRevision}/src/{path}#L{line}`,

  excludeInternal: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  intentionallyNotExported: [
    // Steps of a type that only the compiler takes; what they end in is documented.
    "JobWith",
    "AsJson",
    "TemplateOf",
    "ValuesOf",
    // What this package gives to its own errors; it shows as their members.
    "ApiErrorFacts",
    "ErrorFacts",
    "RunFacts",
    // As much of `fetch` and of Standard Schema as is used: whoever has one of them has all of it.
    "FetchInit",
    "FetchResponse",
    "StandardResult",
  ],
  intentionallyNotDocumented: [
    // Asked of what was given; the other `template` of that type is what is told.
    "template-pdf/bulk.Fitting.__type.template",
  ],
  validation: {
    notExported: true,
    // test/docs/links.test.ts knows more: folders, which are links to the repository here.
    invalidPath: false,
    invalidLink: true,
    rewrittenLink: true,
    notDocumented: true,
    unusedMergeModuleWith: true,
  },
};
