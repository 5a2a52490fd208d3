/** Returns the links of a page to files and headings of this repository, as written, including those of pictures. */
export function linksIn(markdown: string): string[] {
  const links = withoutCode(markdown).matchAll(
    /\]\(<?([^)\s>]+)|^\[[^\]]+\]: *<?([^\s>]+)|<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)="([^"\s]+)/gm,
  );
  return [...links]
    .map(([, inline, below, tag]) => inline ?? below ?? tag ?? "")
    .filter((link) => link !== "" && !/^[a-z][a-z\d+.-]*:/.test(link));
}

/** Returns the anchors of a page, as GitHub creates them. */
export function anchorsIn(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(markdown).matchAll(/^#{1,6} +(.+?)(?: +#+)? *$/gm)) {
    const name = slugOf(heading);
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ""] of markdown.matchAll(/<\w+\b[^>]*?\b(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/**
 * Keeps letters, digits, hyphens and underscores, and turns spaces into hyphens. Removes everything else, including Markdown
 * markup.
 */
function slugOf(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<[^>]+>/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

function withoutCode(markdown: string): string {
  return withoutBlocks(markdown).replace(/(`+)[^`][\s\S]*?\1/g, "");
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^( *)(```+|~~~+)[\s\S]*?^ *\2 *$/gm, "");
}
