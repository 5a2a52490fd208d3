import { groups } from "../../faults/rows/index.ts";

const report = "https://github.com/template-pdf/template-pdf/blob/main/docs/reports/faults.md";

/** The number of faults that the tests simulate, and a link to their results. */
export default function faults(): string {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return `The tests simulate ${count} faults. [A table](${report}) shows the result of each with undici and with \`fetch\`, and whether it is retried.`;
}
