/** Text that knows where it may be broken, as in "A prettier printer" (Wadler, 1998) and Prettier itself. */
export type Layout =
  | string
  | readonly Layout[]
  | { readonly kind: "indent"; readonly of: Layout; readonly onlyIf?: Group | undefined }
  | { readonly kind: "line"; readonly flat: string; readonly isForced: boolean }
  | { readonly kind: "either"; readonly broken: Layout; readonly flat: Layout }
  | Group;

/** What is on one line where there is room, and broken at all of its own lines where there is not. */
export interface Group {
  readonly kind: "group";
  readonly of: Layout;
  /** Other forms to try, in this order, before the last of them is taken as it is. */
  readonly orElse: readonly Layout[];
  readonly isBroken: boolean;
}

const width = 80;

/** A space, or a new line where its group is broken. */
export const line: Layout = { kind: "line", flat: " ", isForced: false };

/** Nothing, or a new line where its group is broken. */
export const softLine: Layout = { kind: "line", flat: "", isForced: false };

/** A new line, which breaks all groups around it. */
export const hardLine: Layout = { kind: "line", flat: "", isForced: true };

export function indent(...of: Layout[]): Layout {
  return { kind: "indent", of };
}

/** Indents where another group, printed before, was broken. */
export function indentIfBroken(group: Group, of: Layout): Layout {
  return { kind: "indent", of, onlyIf: group };
}

export function ifBroken(broken: Layout, flat: Layout = ""): Layout {
  return { kind: "either", broken, flat };
}

export function group(...of: Layout[]): Group {
  return { kind: "group", of, orElse: [], isBroken: isForced(of) };
}

export function brokenGroup(...of: Layout[]): Group {
  return { kind: "group", of, orElse: [], isBroken: true };
}

/** The first of these that fits, up to the first new line that is forced. */
export function firstToFit(first: Layout, ...orElse: Layout[]): Layout {
  return { kind: "group", of: first, orElse, isBroken: false };
}

export function join(separator: Layout, layouts: readonly Layout[]): Layout {
  return layouts.flatMap((layout, index) => (index === 0 ? [layout] : [separator, layout]));
}

/** Whether there is no way to write this on one line. */
export function isForced(layout: Layout): boolean {
  if (typeof layout === "string") return false;
  if ("length" in layout) return layout.some(isForced);
  switch (layout.kind) {
    case "line":
      return layout.isForced;
    case "group":
      return layout.isBroken || isForced(layout.of);
    case "indent":
      return isForced(layout.of);
    case "either":
      return isForced(layout.broken) || isForced(layout.flat);
  }
}

interface Step {
  readonly layout: Layout;
  readonly depth: number;
  readonly isBroken: boolean;
}

/** Writes a layout in lines of at most 80 columns, where it can be broken so. */
export function print(layout: Layout): string {
  const broken = new Set<Group>();
  const steps: Step[] = [{ layout, depth: 0, isBroken: true }];
  const lines: string[] = [];
  let text = "";
  let column = 0;
  let measuresAgain = false;
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { layout, depth, isBroken } = step;
    if (typeof layout === "string") {
      text += layout;
      column += columnsOf(layout);
    } else if ("length" in layout) {
      for (const part of [...layout].reverse()) steps.push({ layout: part, depth, isBroken });
    } else if (layout.kind === "indent") {
      const isIndented = layout.onlyIf === undefined || broken.has(layout.onlyIf);
      steps.push({ layout: layout.of, depth: isIndented ? depth + 1 : depth, isBroken });
    } else if (layout.kind === "either") {
      steps.push({ layout: isBroken ? layout.broken : layout.flat, depth, isBroken });
    } else if (layout.kind === "line") {
      if (!isBroken && layout.isForced) measuresAgain = true;
      if (isBroken || layout.isForced) {
        lines.push(text.trimEnd());
        text = "  ".repeat(depth);
        column = 2 * depth;
      } else {
        text += layout.flat;
        column += layout.flat.length;
      }
    } else if (!isBroken && !measuresAgain) {
      steps.push({ layout: layout.of, depth, isBroken: layout.isBroken });
      if (layout.isBroken) broken.add(layout);
    } else {
      measuresAgain = false;
      const next = chosen(layout, depth, steps, width - column);
      if (next.isBroken) broken.add(layout);
      steps.push(next);
    }
  }
  return [...lines, text].join("\n");
}

function chosen(group: Group, depth: number, rest: readonly Step[], room: number): Step {
  const forms = [group.of, ...group.orElse];
  for (const layout of group.isBroken ? [] : forms) {
    const step = { layout, depth, isBroken: false };
    if (fits(step, rest, room)) return step;
  }
  return { layout: forms.at(-1) ?? "", depth, isBroken: true };
}

/** Whether a step has room, with all that follows on its line. */
function fits(step: Step, rest: readonly Step[], room: number): boolean {
  const steps = [step];
  let left = room;
  let next = rest.length;
  while (left >= 0) {
    const step = steps.pop() ?? rest[--next];
    if (step === undefined) return true;
    const { layout, isBroken } = step;
    if (typeof layout === "string") {
      left -= columnsOf(layout);
    } else if ("length" in layout) {
      for (const part of [...layout].reverse()) steps.push({ ...step, layout: part });
    } else if (layout.kind === "indent") {
      steps.push({ ...step, layout: layout.of });
    } else if (layout.kind === "either") {
      steps.push({ ...step, layout: isBroken ? layout.broken : layout.flat });
    } else if (layout.kind === "line") {
      if (isBroken || layout.isForced) return true;
      left -= layout.flat.length;
    } else {
      const isGroupBroken = layout.isBroken || isBroken;
      const form = isGroupBroken ? (layout.orElse.at(-1) ?? layout.of) : layout.of;
      steps.push({ ...step, layout: form, isBroken: isGroupBroken });
    }
  }
  return false;
}

/** East Asian characters and pictures take two columns, marks on other characters none. */
function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text.normalize("NFC")) {
    if (/\p{M}|\p{Cf}/u.test(character)) continue;
    const isWide =
      /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u;
    columns += isWide.test(character) ? 2 : 1;
  }
  return columns;
}
