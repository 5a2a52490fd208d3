import { readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../../docs/reports/", import.meta.url);

export function readReport(name) {
  return readFileSync(new URL(name, folder), "utf8");
}

export function writeReports(texts) {
  for (const [name, text] of Object.entries(texts)) writeFileSync(new URL(name, folder), text);
}
