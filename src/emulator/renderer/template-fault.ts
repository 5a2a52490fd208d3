import { isInstance } from "../../errors/foreign-values.ts";
import { shortPath } from "./short-path.ts";

/** A fault of a template. It contains no values of a call. */
export interface TemplateFault {
  /** The path of the file that contains the fault: the template, or a file that it uses or imports. */
  readonly file: string;
  /** The line in the file, counted from 1, if it is known. */
  readonly line?: number | undefined;
  /** The column in the line, counted from 1, if it is known. */
  readonly column?: number | undefined;
  /** The part of the template, such as `content[0].text`; empty for the whole template. */
  readonly part: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** Formats a fault for a terminal: `templates/invoice.json:3:14, content[0].text: …`. */
export function formatFault({ file, line, column, part, message }: TemplateFault): string {
  const position = [shortPath(file), line, column].filter((one) => one !== undefined).join(":");
  return `${[position, part].filter(Boolean).join(", ")}: ${message}`;
}

/** The maximum number of faults that are reported for a template. */
const maxFaults = 50;

/** A template has faults, which are reported unchanged. */
export class FaultyTemplate extends Error {
  override readonly name = "FaultyTemplate";
  /** At least one fault, sorted by file and position. */
  readonly faults: readonly TemplateFault[];

  constructor(faults: readonly TemplateFault[]) {
    const shown = [...faults].sort(byPosition).slice(0, maxFaults);
    super(shown.map(formatFault).join("\n"));
    this.faults = shown;
  }
}

/** Calls a function. If it throws faults, adds them to the others and returns nothing. */
export function collectFaults<Result>(faults: TemplateFault[], run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (!isInstance(error, FaultyTemplate)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}

function byPosition(one: TemplateFault, other: TemplateFault): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);
}
