import { randomUUID } from "node:crypto";

/** Who has been here. Yours are in a database, and begin with a password. */
const sessions = new Set();

/**
 * Signs a visitor in who opens the page.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
export function beginSession(request, response) {
  const isPage = request.headers.accept?.includes("text/html");
  if (!isPage || sessions.has(sessionIn(request.headers.cookie))) return;
  const session = randomUUID();
  sessions.add(session);
  // Over https, add `Secure`.
  response.setHeader("set-cookie", `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
}

/**
 * Whether a call comes from somebody who is signed in.
 *
 * @param {Request} request
 */
export function isSignedIn(request) {
  return sessions.has(sessionIn(request.headers.get("cookie")));
}

/** @param {string | null | undefined} cookies */
function sessionIn(cookies) {
  return /(?:^|; )session=([^;]+)/.exec(cookies ?? "")?.[1];
}
