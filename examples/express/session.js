import { randomUUID } from "node:crypto";

/** The sessions of users who have opened the page. Replace this module with your own sign-in. */
const sessions = new Set();

/** @type {import("express").RequestHandler} */
export function beginSession(request, response, next) {
  if (!sessions.has(sessionIn(request.headers.cookie))) {
    const session = randomUUID();
    sessions.add(session);
    // With https, add `secure: true`.
    response.cookie("session", session, { httpOnly: true, sameSite: "strict" });
  }
  next();
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
