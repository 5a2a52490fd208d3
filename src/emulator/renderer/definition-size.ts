/** The default of `limits.maxNodes`. pdfmake takes about 4 kB for each node, so four threads usually take less than 1 GB. */
export const defaultMaxNodes = 50_000;

/**
 * The memory limit of a thread. It ends a thread if a document takes far more memory than its nodes, for example because of a
 * module that keeps data.
 */
export function maxMemoryMegabytes(maxNodes: number): number {
  return Math.min(Math.max(512, Math.ceil(maxNodes / 100)), 8_192);
}

/** The maximum length of a word, because pdfmake takes quadratic time and memory to break a word that is wider than its line. */
const maxWordLength = 2_000;

/** Properties of an element that take as much memory as this number of nodes. */
const costs: ReadonlyMap<string, number> = new Map([
  ["qr", 20],
  ["pageBreak", 10],
  ["svg", 5],
]);

/** The length of an SVG image, in characters, that takes as much memory as a node, in addition to its elements and words. */
const svgNodeLength = 12;

/** The length up to which a string is not counted, unless it is a `text` or in an array. */
const shortLength = 100;

/** Properties whose strings may be long, but are not laid out. */
const notLaidOut: ReadonlySet<string> = new Set(["image", "src", "link", "qr"]);

/** The length of a text that is counted as a node while the definition is filled. */
const filledNodeLength = 100;

/** A part of the document became too large during the layout. */
export class TooLarge extends Error {}

/** Counts the nodes of a document, up to a limit. */
export class NodeBudget {
  readonly #maxNodes: number;
  #nodes = 0;
  #hasLongWord = false;

  constructor(maxNodes: number) {
    this.#maxNodes = maxNodes;
  }

  /** Why the document is too large, if it is. */
  get excess(): string | undefined {
    if (this.#hasLongWord) {
      return `the document would have a word of more than ${maxWordLength} characters; insert spaces`;
    }
    if (this.#nodes <= this.#maxNodes) return undefined;
    return `the document would have more than ${this.#maxNodes} nodes, which are its elements and words; send less data, or raise \`limits.maxNodes\` of the emulator`;
  }

  spend(nodes: number): void {
    this.#nodes += nodes;
  }

  /** Counts a text roughly, by its length. */
  spendFilled(text: string): void {
    this.#nodes += text.length / filledNodeLength;
  }

  spendSvg(svg: string): void {
    this.#nodes += svg.length / svgNodeLength + svg.split(/[<\s]/).length;
  }

  /** Counts the words of a text. Each becomes an object in the layout. */
  spendText(text: string): void {
    let start = 0;
    for (let at = 0; at <= text.length; at += 1) {
      const code = text.charCodeAt(at);
      // Lines break at spaces, and at every character of scripts without spaces. The end of the text has no code.
      const isEnd = !(code > 0x20 && code < 0x2e80);
      if (isEnd) {
        this.#hasLongWord ||= at - start > maxWordLength;
        start = at + 1;
      }
      if (isEnd || mayEndLine(code)) this.#nodes += 1;
    }
  }
}

/** Whether a line may break after a character that is not a space, such as a hyphen. */
function mayEndLine(code: number): boolean {
  return code >= 0x0e00 || code === 0xad || "-/!?|}".includes(String.fromCharCode(code));
}

/**
 * Counts the nodes of a definition, because a small request can become a document that does not fit in memory.
 *
 * The traversal does not recurse, and ends at the limit, so that the definition may contain itself.
 *
 * @returns why the definition is too large, if it is
 */
export function findExcess(definition: object, maxNodes: number): string | undefined {
  const budget = new NodeBudget(maxNodes);
  const { images: _images, ...elements } = definition as { readonly images?: unknown };
  const rest: unknown[] = [elements];
  while (rest.length > 0 && budget.excess === undefined) {
    const value = rest.pop();
    if (typeof value === "string") {
      budget.spendText(value);
      continue;
    }
    budget.spend(1);
    if (Array.isArray(value)) for (const item of value) rest.push(item);
    else if (typeof value === "object" && value !== null && !isBytes(value)) {
      for (const [name, inner] of Object.entries(value)) {
        budget.spend(costs.get(name) ?? 0);
        if (name === "svg" && typeof inner === "string") budget.spendSvg(inner);
        else if (!isFree(name, inner)) rest.push(inner);
      }
    }
  }
  return budget.excess;
}

/** Whether a property takes hardly any memory. Short strings are colors or names of styles. */
function isFree(name: string, value: unknown): boolean {
  if (typeof value === "string")
    return name !== "text" && (value.length < shortLength || notLaidOut.has(name));
  return typeof value !== "object" || value === null;
}

function isBytes(value: object): boolean {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}
