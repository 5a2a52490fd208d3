import { type NextRequest, NextResponse } from "next/server";
import { isSession, newSession } from "@/lib/session";

export const config = { matcher: "/" };

/** Whoever opens the page has a session from then on. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!isSession(request.cookies.get("session")?.value)) {
    // Over https, add `secure: true`.
    response.cookies.set("session", newSession(), { httpOnly: true, sameSite: "strict" });
  }
  return response;
}
