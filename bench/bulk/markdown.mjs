// @ts-check
/**
 * A table of Markdown: the first column holds names, the others figures.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function tableOf(head, rows) {
  const marks = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, marks, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Three digits, or all before the point. @param {number | undefined} number */
export function inDigits(number) {
  if (number === undefined || Number.isNaN(number)) return "–";
  return number >= 100 ? Math.round(number).toLocaleString("en") : number.toPrecision(3);
}
