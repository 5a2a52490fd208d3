/** What vitest and its workers put into the environment, what changes how programs print, and what this package reads itself. */
const ofTestRuns =
  /^(?:NODE_OPTIONS|NODE_V8_COVERAGE|NODE_ENV|VITEST(?:_.*)?|DEV|PROD|SSR|MODE|TEST|BASE_URL|FORCE_COLOR|CI|TEMPLATE_PDF_.*)$/;

/** The environment as a user's program has it: without what a test run, or the service of CI around it, has put there. */
export function environmentOfUsers(settings: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ofTestRuns.test(name));
  return { ...Object.fromEntries(inherited), NO_COLOR: "1", ...settings } as NodeJS.ProcessEnv;
}
