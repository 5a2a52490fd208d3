/** Lower-case words of error messages. They do not identify a customer, so they are not redacted. */
const ordinaryWords: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    "a additional allowed an and any are array as at be been between blank body boolean but by can cannot " +
    "character contain currency customer date default digit document does each email empty equal error every " +
    "exactly exceed expected extra false field file for format found from given greater has have id in " +
    "include input integer invalid invoice is it item json key larger least length less letter limit line " +
    "list longer many maximum member minimum missing more most must name negative no none not null number " +
    "object of on one only optional or order parameter parse pattern placeholder please positive property " +
    "properties provided range received refused rejected request required schema shorter should size smaller " +
    "string such template text than that the their there this to too total true type undefined unexpected " +
    "unique unknown unsupported url use valid value was were when which while with within without wrong you " +
    "your zero"
  ).split(" "),
);

/** Whether a word is one of these, with or without an ending, as in `values` or `expected`. */
export function isOrdinary(word: string): boolean {
  return [/$/, /s$/, /d$/, /ed$/].some((ending) => ordinaryWords.has(word.replace(ending, "")));
}
