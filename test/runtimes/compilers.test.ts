import { beforeAll, describe } from "vitest";
import { installCompilers, testMistakes } from "../package/compilers.ts";

/** Those between the ones of test/package/types.test.ts, which takes its time already. */
const compilers = ["5.5.4", "5.6.3", "5.7.3", "5.8.3"];

describe("the types", { timeout: 120_000 }, () => {
  beforeAll(() => installCompilers(compilers), 120_000);
  testMistakes(compilers);
});
