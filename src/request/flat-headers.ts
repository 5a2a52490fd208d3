/** Builds the request headers as a flat list of names and values (spec, "Authentication", rule 1; "Endpoints", request headers). */
export function buildHeaders(
  apiKey: string | undefined,
  extra: ReadonlyMap<string, string>,
): readonly string[] {
  const flat: string[] = [];
  if (apiKey !== undefined) flat.push("authorization", `API-Key ${apiKey}`);
  flat.push("content-type", "application/json");
  for (const [name, value] of extra) flat.push(name, value);
  return flat;
}

/** Returns the credentials of a custom `authorization` header, without its scheme. They are as secret as a key. */
export function credentialsIn(headers: ReadonlyMap<string, string>): string | undefined {
  const authorization = headers.get("authorization");
  return authorization?.slice(authorization.lastIndexOf(" ") + 1);
}
