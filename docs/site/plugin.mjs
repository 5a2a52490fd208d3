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
import { chapters, guides, pathOfGuide, reference } from "./chapters.mjs";
import { writeLlmsFiles } from "./llms.mjs";
import { repository } from "./repository.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The URL of pictures in guides. The site has a copy, because its pages load nothing from other servers. */
const pictures = "https://raw.githubusercontent.com/template-pdf/template-pdf/main/docs/pictures/";

/** The sentence of each guide, by its path in the repository. */
const sentences = Object.fromEntries(
  Object.values(guides).flatMap((chapter) =>
    Object.entries(chapter).map(([name, sentence]) => [pathOfGuide(name), sentence]),
  ),
);

/**
 * Names pages by their first heading and entry points by the import specifier, links to files that are only in the repository, and
 * writes the files for language models.
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
    for (const entryPoint of project.getChildrenByKind(ReflectionKind.Module)) {
      entryPoint.name = entryPoint.name.replace(/^src/, project.name);
      entryPoint.comment?.blockTags.push(new CommentTag("@group", [{ kind: "text", text: reference }]));
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const { content } of [{ content: project.readme ?? [] }, ...(project.documents ?? [])]) {
      content.forEach((part, index) => {
        content[index] = linkToRepository(part, project);
      });
    }
  });
  app.renderer.defineRouter("pages", PageRouter);
  const { now } = Date;
  app.renderer.on(PageEvent.BEGIN, () => {
    // The highlighter stops after half a second a line, so that pages would depend on the speed of the machine.
    const began = now();
    Date.now = () => began;
  });
  app.renderer.on(PageEvent.END, (page) => {
    Date.now = now;
    if (page.contents === undefined) return;
    // Screen readers start at the main element.
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
  app.renderer.on(RendererEvent.END, ({ outputDirectory, project }) => {
    cpSync(join(root, "docs/pictures"), join(outputDirectory, "media"), { recursive: true });
    const entryPoints = project.getChildrenByKind(ReflectionKind.Module).map((entryPoint) => ({
      name: entryPoint.name,
      url: app.renderer.router?.getFullUrl(entryPoint) ?? "",
      sentence: sentenceOf(entryPoint) ?? "",
    }));
    writeLlmsFiles(outputDirectory, entryPoints);
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, indexHeadings);
  // The chapters of guides are open at first. A browser remembers which ones a reader closes.
  const openChapters = JSON.stringify(Object.keys(guides).map((chapter) => `tsd-accordion-${chapter}`));
  const html = `for (const key of ${openChapters}) localStorage[key] ??= "true";`;
  app.renderer.hooks.on("head.end", () =>
    JSX.createElement("script", null, JSX.createElement(JSX.Raw, { html })),
  );
}

/** Keeps the paths of the repository: `docs/guides/bulk.md` becomes `guides/bulk.html`. */
class PageRouter extends KindRouter {
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
  return Object.entries(chapters).find(([, pages]) => pages.includes(path))?.[0];
}

/**
 * Replaces a link to a file that is not part of the site by a link to the repository.
 *
 * @param {import("typedoc").CommentDisplayPart} part
 * @param {import("typedoc").ProjectReflection} project
 * @returns {import("typedoc").CommentDisplayPart}
 */
function linkToRepository(part, project) {
  if (part.kind !== "relative-link" || part.target === undefined) return part;
  const to = project.files.resolve(part.target, project);
  if (typeof to !== "string" || /\.(?:svg|png)$|\/openapi\.yaml$/.test(to)) return part;
  const anchor = part.targetAnchor ? `#${part.targetAnchor}` : "";
  return { kind: "text", text: `${repository}/blob/main/${pathInRepository(to)}${anchor}` };
}

/**
 * Gives headings of pages the weight of names of declarations in the search.
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
 * Adds a description for search engines.
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
 * Replaces a part of a page of TypeDoc.
 *
 * @param {string} html
 * @param {RegExp} pattern
 * @param {string} replacement
 * @throws {Error} if the page does not contain it
 */
function replaced(html, pattern, replacement) {
  if (pattern.test(html)) return html.replace(pattern, () => replacement);
  throw new Error(
    `Expected a page of TypeDoc to match ${pattern}. Adapt docs/site/plugin.mjs to this version of TypeDoc.`,
  );
}

/**
 * The sentence of a guide, or the first sentence of another page, without Markdown.
 *
 * @param {any} model
 * @returns {string | undefined}
 */
function sentenceOf(model) {
  const ofGuide = model.isDocument?.() && sentences[pathOf(model)];
  if (ofGuide) return ofGuide;
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
