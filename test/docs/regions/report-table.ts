import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Region } from "../regenerate.ts";

const reports = fileURLToPath(new URL("../../../docs/reports", import.meta.url));

/** The first table below a heading of a report: `report-table bundlers.md Bytes`. */
const reportTable: Region = (file = "", ...words) => {
  const heading = words.join(" ");
  const [, below = ""] = readFileSync(join(reports, file), "utf8").split(`\n## ${heading}\n`);
  const table = /(?:^\|.*\n)+/m.exec(below)?.[0];
  if (table === undefined) throw new Error(`docs/reports/${file} has no table below "${heading}".`);
  return table;
};

export default reportTable;
