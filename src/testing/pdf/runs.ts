/** A part of a line that is written in one direction. */
export interface Run {
  readonly direction: "left" | "right";
  /** As it is shown: from left to right, whatever its direction is. */
  readonly shown: string;
}

// Of those that are written from right to left, the ones that pdf.js turns round, too.
const rightToLeft = /[\u05d0-\u05f2\u0620-\u064a\u066e\u066f\u0671-\u06d5\u06ee-\u06ff\u0710-\u08ac]/u;
const letter = /\p{L}/u;
const mark = /\p{Mn}/u;
/** What may stand between two letters without ending the run: a space, or a joiner that is not seen. */
const between = /[ \p{Cf}]/u;
/** What pdf.js and others order in ways of their own, beside such letters; alone it stays where it is. */
const ordered = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u;

/** Whether a word of a run ends with a mark, such as a vowel's. */
const endsWithMark = /\p{Mn}\p{Cf}*(?: |$)/u;

/** As long as one font can show, whatever stands in it. */
const longestToTheLeft = 255;

/**
 * Takes a line apart where the direction of writing changes. The parts stand in the order of the text, and those
 * from right to left are turned round, as PDFs have them: whoever reads turns them round again.
 */
export function runsOf(line: string): Run[] {
  const runs: { direction: "left" | "right"; isClosed: boolean; characters: string[] }[] = [];
  const characters = Array.from(line);
  const isToTheLeft = (character = "") => rightToLeft.test(character) && letter.test(character);
  for (const [index, character] of characters.entries()) {
    const last = runs.at(-1);
    const goesOn =
      last?.direction === "left" &&
      (mark.test(character) || (between.test(character) && isToTheLeft(characters[index + 1])));
    const direction = goesOn || isToTheLeft(character) ? "left" : "right";
    const isClosed = direction === "right" && ordered.test(character);
    const isFull = direction === "left" && last?.characters.length === longestToTheLeft;
    if (last?.direction === direction && !last.isClosed && !isClosed && !isFull)
      last.characters.push(character);
    else runs.push({ direction, isClosed, characters: [character] });
  }
  return runs.flatMap(({ direction, characters }) => {
    if (direction === "right") return { direction, shown: characters.join("") };
    // Turned round, such a word would begin with a mark, which pdf.js adds to whatever comes before.
    if (endsWithMark.test(characters.join(""))) {
      return characters.map((shown) => ({ direction: "right" as const, shown }));
    }
    return { direction, shown: characters.toReversed().join("") };
  });
}
