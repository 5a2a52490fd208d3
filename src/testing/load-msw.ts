import { ConfigurationError } from "../index.ts";
import { describeThrown } from "../json/describe-thrown.ts";

// biome-ignore lint/suspicious/noTsIgnore: "expect-error" would itself be an error wherever MSW is installed.
/** @ts-ignore: MSW is an optional peer; the type is `any` where it is not installed. */
export type MswHandler = import("msw").RequestHandler;

/** The part of MSW that is needed: the same in 2 and 3. */
interface Msw {
  readonly http: {
    all(path: string, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
  };
}

/**
 * Loads MSW only where handlers are asked for, because most tests do without; at once, because a list of handlers is no promise.
 *
 * @throws {ConfigurationError} when MSW is not installed, or cannot be loaded here
 */
export function loadMsw(): Msw {
  // Bun has it, and the build puts CommonJS's own `require` there, which Jest makes anew for every test file.
  const require = (import.meta as { readonly require?: (name: string) => unknown }).require;
  if (!require && typeof process === "undefined") {
    throw new ConfigurationError(
      "`handlers` cannot load MSW in a page. Write http.all('*/api/v1/templates/:uid/generate-sync', ({ request }) => service.fetch(request).catch(() => HttpResponse.error())).",
    );
  }
  // In a repository of many packages, this one may lie further up than the MSW of the package under test.
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
    `\`handlers\` are for MSW, which cannot be loaded here (${reason}): npm install --save-dev msw. ` +
      "Without MSW, give `service.fetch` to the client, or let it use `service.listen()`.",
    { cause: failure },
  );
}

function requireFrom(place: string): (name: string) => unknown {
  return process.getBuiltinModule("node:module").createRequire(place);
}
