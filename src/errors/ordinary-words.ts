/**
 * Lower-case words that services use in refusals. They identify no customer by themselves, so they stay readable.
 */
export const ordinaryWords: ReadonlySet<string> = new Set(
  (
    "a additional allowed an and any are array as at be been between blank body boolean but by can cannot character characters contain contains " +
    "currency customer date dates default digit digits document does each email empty equal error every exactly " +
    "exceed exceeds expected extra false field fields file for format found from given greater has have id in include " +
    "input integer invalid invoice is it item items json key keys larger least length less letter letters limit line " +
    "lines list longer many maximum member members minimum missing more most must name names negative no none not null " +
    "number object of on one only optional or order parameter parse pattern placeholder please positive property properties " +
    "provided range received refused rejected request required schema shorter should size smaller string such template " +
    "templates text than that the their there this to too total true type undefined unexpected unique unknown " +
    "unsupported url use valid value values was were when which while with within without wrong you your zero"
  ).split(" "),
);
