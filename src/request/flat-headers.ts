/** Builds the flat headers of a request (spec, "Authentication", rule 1; "Endpoints", request headers). */
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

/** What follows the scheme of an `authorization` of the caller's own: as secret as a key. */
export function credentialsIn(headers: ReadonlyMap<string, string>): string | undefined {
  const given = headers.get("authorization");
  return given?.slice(given.lastIndexOf(" ") + 1);
}
