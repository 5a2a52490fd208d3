import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** Creates a session for a user who opens the page. The cookie is signed against forgery. Replace this module with your own sign-in. */
export function newSession(): string {
  const id = randomUUID();
  return `${id}.${signatureOf(id)}`;
}

export function isSession(session: string | undefined): boolean {
  const [id = "", signature = ""] = session?.split(".") ?? [];
  const [actual, expected] = [Buffer.from(signature), Buffer.from(signatureOf(id))];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Returns whether the caller is signed in. */
export function isSignedIn(request: Request): boolean {
  return isSession(/(?:^|; )session=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1]);
}

function signatureOf(id: string): string {
  const secret = process.env.SESSION_SECRET;
  if (!secret) throw new Error("Set SESSION_SECRET to a long random text.");
  return createHmac("sha256", secret).update(id).digest("hex");
}
