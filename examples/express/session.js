import { randomUUID } from "node:crypto";

/** Who has opened the page: a stand-in for your own sign-in. */
const sessions = new Set();

/** @type {import("express").RequestHandler} */
export function beginSession(request, response, next) {
  if (!sessions.has(sessionIn(request.headers.cookie))) {
    const session = randomUUID();
    sessions.add(session);
    // Over https, add `secure: true`.
    response.cookie("session", session, { httpOnly: true, sameSite: "strict" });
  }
  next();
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
