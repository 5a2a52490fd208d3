import { type NextRequest, NextResponse } from "next/server";
import { isSession, newSession } from "@/lib/session";

export const config = { matcher: "/" };

/** Starts a session for users who open the page. */
export function proxy(request: NextRequest): NextResponse {
  const response = NextResponse.next();
  if (!isSession(request.cookies.get("session")?.value)) {
    // With https, add `secure: true`.
    response.cookies.set("session", newSession(), { httpOnly: true, sameSite: "strict" });
  }
  return response;
}
