import { ConfigurationError } from "../index.ts";

// biome-ignore lint/suspicious/noTsIgnore: "expect-error" would itself be an error wherever MSW is installed.
/** @ts-ignore: MSW is an optional peer; the type is `any` where it is not installed. */
export type MswHandler = import("msw").RequestHandler;

/** The part of MSW that is needed: the same in 2 and 3. */
interface Msw {
  readonly http: {
    all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): MswHandler;
  };
}

/**
 * Makes the handlers that let MSW answer calls for documents.
 *
 * @param matches - which URLs are meant
 * @throws {ConfigurationError} when MSW is not installed, or cannot be loaded here
 */
export function makeMswHandlers(
  matches: RegExp,
  answer: (request: Request) => Promise<Response>,
): MswHandler[] {
  return [loadMsw().http.all(matches, ({ request }) => answer(request))];
}

/** Loaded only here, because most tests do without; at once, because a list of handlers is no promise. */
function loadMsw(): Msw {
  // Bun has it, and the build puts CommonJS's own `require` there, which Jest makes anew for every test file.
  const require = (import.meta as { readonly require?: (name: string) => unknown }).require;
  if (!require && typeof process === "undefined") {
    throw new ConfigurationError(
      "`handlers` cannot load MSW in a page. Write http.post('*/api/v1/templates/:uid/generate-sync', ({ request }) => service.fetch(request)).",
    );
  }
  try {
    const load = require ?? process.getBuiltinModule("node:module").createRequire(import.meta.url);
    return load("msw") as Msw;
  } catch (cause) {
    throw new ConfigurationError(
      "`handlers` are for MSW, which could not be loaded. Install it: npm install --save-dev msw. Without it, give `service.fetch` to the client, or `service.listen()`.",
      { cause },
    );
  }
}
