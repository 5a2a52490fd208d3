// @ts-check
import { cpSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CommentTag,
  Converter,
  IndexEvent,
  JSX,
  KindRouter,
  PageEvent,
  ReflectionKind,
  RendererEvent,
} from "typedoc";
import { chapters, guides, reference } from "./chapters.mjs";
import { repository } from "./repository.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where guides that ship with the package find their pictures. The site has its own copy, because it loads nothing from elsewhere. */
const pictures = "https://raw.githubusercontent.com/template-pdf/template-pdf/main/docs/pictures/";

/**
 * What TypeDoc would need front matter and other names for: papers are called by their first heading, doors by what one imports,
 * and what is only in the repository is a link to it.
 *
 * @param {import("typedoc").Application} app
 */
export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const document of project.documents ?? []) {
      const path = pathOf(document);
      document.name = /^# (.+)$/m.exec(textOf(document.content))?.[1] ?? path;
      document.frontmatter["group"] = chapterOf(path);
    }
    for (const door of project.getChildrenByKind(ReflectionKind.Module)) {
      door.name = door.name.replace(/^src/, project.name);
      door.comment?.blockTags.push(new CommentTag("@group", [{ kind: "text", text: reference }]));
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { content } of [{ content: project.readme ?? [] }, ...(project.documents ?? [])]) {
      content.forEach((part, index) => {
        content[index] = outward(part, project);
      });
    }
  });
  app.renderer.defineRouter("papers", PaperRouter);
  const { now } = Date;
  app.renderer.on(PageEvent.BEGIN, () => {
    // Else the highlighter gives up on a line after half a second, and on a busy machine a page would look different.
    const began = now();
    Date.now = () => began;
  });
  app.renderer.on(PageEvent.END, (page) => {
    Date.now = now;
    if (page.contents === undefined) return;
    // Where readers of the screen begin.
    const withMain = replaced(page.contents, /(?<=<div class="col-content")/, ' role="main"');
    const withRoles = replaced(
      withMain,
      /(?<=<div class="page-menu")/,
      ' role="complementary" aria-label="This page"',
    );
    const withPictures = withRoles.replaceAll(
      pictures,
      `${posix.relative(posix.dirname(page.url), "media")}/`,
    );
    page.contents = withDescription(withPictures, sentenceOf(page.model));
  });
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    cpSync(join(root, "docs/pictures"), join(outputDirectory, "media"), { recursive: true });
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, indexHeadings);
  // The guides can be seen at once; whoever folds a chapter finds it folded on the next page.
  const chaptersAtFirst = JSON.stringify(Object.keys(guides).map((chapter) => `tsd-accordion-${chapter}`));
  const html = `for (const key of ${chaptersAtFirst}) localStorage[key] ??= "true";`;
  app.renderer.hooks.on("head.end", () =>
    JSX.createElement("script", null, JSX.createElement(JSX.Raw, { html })),
  );
}

/** Keeps the paths of the repository: `docs/guides/bulk.md` is `guides/bulk.html`. */
class PaperRouter extends KindRouter {
  /**
   * @override
   * @param {import("typedoc").Reflection} reflection
   */
  getIdealBaseName(reflection) {
    if (!reflection.isDocument()) return super.getIdealBaseName(reflection);
    return pathOf(reflection)
      .replace(/^docs\//, "")
      .replace(/\.md$/, "");
  }
}

/** @param {import("typedoc").DocumentReflection} document */
function pathOf(document) {
  return pathInRepository(document.project.files.getReflectionPath(document) ?? "");
}

/** @param {string} path */
function pathInRepository(path) {
  return relative(root, path).replaceAll("\\", "/");
}

/** @param {string} path */
function chapterOf(path) {
  return Object.entries(chapters).find(([, papers]) => papers.includes(path))?.[0];
}

/**
 * Makes of a link to what is no page of the site, no picture and not the OpenAPI document, one to the repository.
 *
 * @param {import("typedoc").CommentDisplayPart} part
 * @param {import("typedoc").ProjectReflection} project
 * @returns {import("typedoc").CommentDisplayPart}
 */
function outward(part, project) {
  if (part.kind !== "relative-link" || part.target === undefined) return part;
  const to = project.files.resolve(part.target, project);
  if (typeof to !== "string" || /\.(?:svg|png)$|\/openapi\.yaml$/.test(to)) return part;
  const anchor = part.targetAnchor ? `#${part.targetAnchor}` : "";
  return { kind: "text", text: `${repository}/blob/main/${pathInRepository(to)}${anchor}` };
}

/**
 * Has the headings of papers count in the search as much as the names of declarations do.
 *
 * @param {IndexEvent} event
 */
function indexHeadings(event) {
  event.searchFieldWeights["headings"] = 10;
  event.searchResults.forEach((result, index) => {
    if (!result.isDocument()) return;
    const headings = [...textOf(result.content).matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading);
    event.searchFields[index] = { headings: headings.join(" ") };
  });
}

/**
 * Describes a page to search engines.
 *
 * @param {string} html
 * @param {string | undefined} sentence
 */
function withDescription(html, sentence) {
  if (sentence === undefined) return html;
  const text = sentence.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  return replaced(html, /(?<=<meta name="description" content=")[^"]*/, text);
}

/**
 * Changes what TypeDoc wrote.
 *
 * @param {string} html
 * @param {RegExp} what
 * @param {string} by
 * @throws {Error} when it is not there
 */
function replaced(html, what, by) {
  if (what.test(html)) return html.replace(what, () => by);
  throw new Error(`docs/site/plugin.mjs finds no ${what} in a page: this version of TypeDoc writes others.`);
}

/**
 * The first sentence of a page that is one, without its marks.
 *
 * @param {any} model
 * @returns {string | undefined}
 */
function sentenceOf(model) {
  const comment = model.comment ?? model.signatures?.[0]?.comment;
  const text = textOf(model.readme ?? model.content ?? comment?.summary ?? []);
  const paragraph = text.split(/\n{2,}/).find((block) => /^[^#`|<>\-*\s]/.test(block));
  const plain = paragraph
    ?.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replace(/\s+/g, " ");
  return /^.*?\.(?= |$)/.exec(plain ?? "")?.[0] ?? plain;
}

/** @param {readonly import("typedoc").CommentDisplayPart[]} parts */
function textOf(parts) {
  return parts.map(({ text }) => text).join("");
}
