/** Every way to put a mock before the service, as a user would have it. */

type Format = "ES modules" | "CommonJS";
type Moment = "before" | "after";

interface Mock {
  readonly title: string;
  /** The mock itself: a file in the folder `project`. */
  readonly mock: string;
  readonly runner: "node --test" | "vitest run";
  readonly formats: readonly Format[];
  /** Where the client has to be told of the mock. */
  readonly clientOptions?: string;
}

/** One project of a user. */
export interface Combination extends Mock {
  readonly format: Format;
  /** When the mock is set up, seen from the import of our package. */
  readonly moment: Moment;
}

const both: readonly Format[] = ["ES modules", "CommonJS"];

const msw = { mock: "msw.js", formats: both } as const;

const others: readonly Mock[] = [
  { title: "nock 14", mock: "nock.js", runner: "node --test", formats: both },
  { title: "a replaced global fetch", mock: "replaced-fetch.js", runner: "node --test", formats: both },
  { title: "vi.stubGlobal", mock: "stubbed-fetch.js", runner: "vitest run", formats: both },
  {
    title: "a MockAgent as `dispatcher`",
    mock: "mock-agent.js",
    runner: "node --test",
    formats: both,
    clientOptions: "{ dispatcher: pdfService.agent }",
  },
  {
    title: "a MockAgent by setGlobalDispatcher",
    mock: "global-mock-agent.js",
    runner: "node --test",
    formats: both,
  },
];

/** Mocks that are installed together, and what to install. */
export interface Kit {
  readonly packages: readonly string[];
  readonly combinations: readonly Combination[];
}

/** What works on Node 20 and later. */
export const everywhere: Kit = {
  packages: ["msw@2", "nock@14", "undici@7", "vitest@4"],
  combinations: combine([
    { ...msw, title: "MSW 2", runner: "node --test" },
    { ...msw, title: "MSW 2 in vitest", runner: "vitest run" },
    ...others,
  ]),
};

/** What needs Node 22. */
export const sinceNode22: Kit = {
  packages: ["msw@3", "vitest@4"],
  combinations: combine([
    { ...msw, title: "MSW 3", runner: "node --test" },
    { ...msw, title: "MSW 3 in vitest", runner: "vitest run" },
  ]),
};

/** Each mock in each of its formats, set up before and after the import. */
function combine(mocks: readonly Mock[]): Combination[] {
  return mocks.flatMap((mock) =>
    mock.formats.flatMap((format) =>
      (["before", "after"] as const).map((moment) => ({ ...mock, format, moment })),
    ),
  );
}
