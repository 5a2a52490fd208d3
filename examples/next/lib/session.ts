import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";

/** Who has opened the page: a stand-in for your own sign-in. The cookie is signed, so that nobody makes one up. */
export function newSession(): string {
  const id = randomUUID();
  return `${id}.${signatureOf(id)}`;
}

export function isSession(session: string | undefined): boolean {
  const [id = "", signature = ""] = session?.split(".") ?? [];
  const [given, right] = [Buffer.from(signature), Buffer.from(signatureOf(id))];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Whether a call comes from somebody who is signed in. */
export function isSignedIn(request: Request): boolean {
  return isSession(/(?:^|; )session=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1]);
}

function signatureOf(id: string): string {
  const secret = process.env.SESSION_SECRET;
  if (!secret) throw new Error("Set SESSION_SECRET to a long random text.");
  return createHmac("sha256", secret).update(id).digest("hex");
}
