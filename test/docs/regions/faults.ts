import { groups } from "../../faults/rows/index.ts";

const report = "https://github.com/template-pdf/template-pdf/blob/main/docs/reports/faults.md";

/** A sentence on the faults that the tests play. */
export default function faults(): string {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return `The tests play ${count} faults, each with undici and with \`fetch\`. [This table](${report}) has the result of each, and whether it is retried.`;
}
