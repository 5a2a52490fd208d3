/** The variables that Vitest and its workers set, that change how programs print, and that this package reads. */
const ofTestRuns =
  /^(?:NODE_OPTIONS|NODE_V8_COVERAGE|NODE_ENV|VITEST(?:_.*)?|DEV|PROD|SSR|MODE|TEST|BASE_URL|FORCE_COLOR|CI|TEMPLATE_PDF_.*)$/;

/** Returns the environment of a user's program, without the variables that a test run or CI has set. */
export function environmentOfUsers(settings: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !ofTestRuns.test(name));
  return { ...Object.fromEntries(inherited), NO_COLOR: "1", ...settings } as NodeJS.ProcessEnv;
}
