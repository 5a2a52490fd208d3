/**
 * The name of a member that a URL for `saveTo` may have: how the file is named, behind a dot, while it is being written, so that whoever
 * finds it knows whose it was. Registered globally, because the client may come from another copy of this package.
 */
export const draftMark: unique symbol = Symbol.for("template-pdf.draft-mark") as never;

/** What every file that is being written ends with. */
export const draftEnding = ".template-pdf";
