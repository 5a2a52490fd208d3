/** Where something stands in a JSON value: the names of members and the indices of items on the way to it. */
export type Place = readonly (string | number)[];

/** Writes a place as JavaScript would: `content[2].table.body[1]`. */
export function formatPlace(place: Place): string {
  return place
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
}
