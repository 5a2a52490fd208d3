import { randomUUID } from "node:crypto";

/** Sessions of visitors. Replace them with your own sign-in and a database. */
const sessions = new Set();

/**
 * Starts a session for a visitor who opens the page.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
export function beginSession(request, response) {
  const isPage = request.headers.accept?.includes("text/html");
  if (!isPage || sessions.has(sessionIn(request.headers.cookie))) return;
  const session = randomUUID();
  sessions.add(session);
  // With https, add `Secure`.
  response.setHeader("set-cookie", `session=${session}; HttpOnly; SameSite=Strict; Path=/`);
}

/**
 * Returns whether the caller is signed in.
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
