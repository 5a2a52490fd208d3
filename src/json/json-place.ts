import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { lineAndColumn } from "./json-text.ts";

/**
 * Finds where in a JSON text something stands.
 *
 * @param text - a text that is JSON; a byte order mark at its start is no part of it
 * @param path - the names and the indices on the way to it
 * @returns the line and the column, both counted from 1, as `3:14`; nothing where it cannot be told
 */
export function placeInJson(text: string, path: readonly (string | number)[]): string | undefined {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const tree = parseTree(json);
    const node = tree && findNodeAtLocation(tree, [...path]);
    return node && lineAndColumn(json.slice(0, node.offset));
  } catch {
    // This parser calls itself for what is nested: the stack may not hold it all.
    return undefined;
  }
}
