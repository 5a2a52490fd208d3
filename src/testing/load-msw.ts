import { describeThrown } from "../errors/foreign-values.ts";
import { ConfigurationError } from "../index.ts";

// biome-ignore lint/suspicious/noTsIgnore: "expect-error" would be an error if MSW is installed.
/** @ts-ignore: MSW is an optional peer. Without it, the type is `any`. */
export type MswHandler = import("msw").RequestHandler;

/** The part of MSW that this package uses. It is the same in MSW 2 and 3. */
interface Msw {
  readonly http: {
    all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
  };
}

/**
 * Loads MSW when `handlers` is first read, because most tests do not need it. Synchronous, because `handlers` is not a promise.
 *
 * @throws {ConfigurationError} if MSW is not installed or cannot be loaded
 */
export function loadMsw(): Msw {
  // Bun provides it, and the CommonJS build uses its own `require`, which Jest creates for each test file.
  const require = (import.meta as { readonly require?: (name: string) => unknown }).require;
  if (!require && typeof process === "undefined") {
    throw new ConfigurationError(
      "`handlers` cannot load MSW in a browser. Use http.all('*/api/v1/templates/:uid/generate-sync', ({ request }) => service.fetch(request).catch(() => HttpResponse.error())).",
    );
  }
  // In a monorepo, this package may be further up than the MSW of the package under test.
  const places = [require ?? requireFrom(import.meta.url), requireFrom(`${process.cwd()}/`)];
  let failure: unknown;
  for (const load of places) {
    try {
      return load("msw") as Msw;
    } catch (cause) {
      failure = cause;
    }
  }
  const [reason] = describeThrown(failure).split("\n");
  throw new ConfigurationError(
    `\`handlers\` are for MSW, which cannot be loaded (${reason}). Run npm install --save-dev msw. ` +
      "Without MSW, pass `service.fetch` to the client, or use `service.listen()`.",
    { cause: failure },
  );
}

function requireFrom(place: string): (name: string) => unknown {
  return process.getBuiltinModule("node:module").createRequire(place);
}
