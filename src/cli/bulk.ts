import { TemplatePdf } from "../index.ts";
import { addressOf } from "../request/url.ts";
import { checkData } from "./bulk/check-data.ts";
import { readSchema } from "./bulk/data/check-rows.ts";
import { openData } from "./bulk/data/open-data.ts";
import { refuseOtherJournals } from "./bulk/other-journals.ts";
import { type BulkFlags, type BulkPlan, readPlan } from "./bulk/plan.ts";
import { RunFiles } from "./bulk/run-files.ts";
import { RowRun } from "./bulk/run-rows.ts";
import { countOf, printable } from "./output.ts";
import { readServiceSettings, type ServiceSettings } from "./service-settings.ts";
import { untilAborted } from "./session.ts";
import type { Session } from "./terminal.ts";

/**
 * Generates a document from every row of a file, and goes on where it was stopped.
 *
 * @throws {Misuse} when the command line, the data, the journal or a folder is wrong; nothing was sent
 * @throws what {@link RowRun.perform} throws
 */
export async function bulk(uid: string, file: string, flags: BulkFlags, session: Session): Promise<void> {
  const { terminal, signal } = session;
  const plan = readPlan(uid, file, flags);
  const files = new RunFiles(plan, flags.schema, process.platform);
  const settings = flags.dryRun ? undefined : await readServiceSettings(flags.baseUrl, terminal);
  const client = settings && clientOf(settings, plan, flags);
  const { format, limit } = plan;
  const { encoding, delimiter } = flags;
  const data = await openData({ file, format, encoding, delimiter, stdin: terminal.stdin, signal });
  try {
    const areTexts = data.format === "csv";
    const reading =
      flags.schema === undefined ? undefined : readSchema(flags.schema, { uid, areTexts, signal });
    const schema = reading && (await untilAborted(reading, signal));
    const check = { data, plan, files, schema };
    const { good: total, invalid } = await checkData(
      check,
      terminal,
      plan.skipsInvalid && client !== undefined,
    );
    if (!client) {
      const rows = `${limit === Number.POSITIVE_INFINITY ? "" : "the first "}${countOf(total, "row")}`;
      const line = `${data.name}: ${rows} ${total === 1 ? "is" : "are"} good. Nothing was sent.`;
      terminal.stdout.write(`${printable(line)}\n`);
      return;
    }
    await refuseOtherJournals(plan, flags);
    const parts = { client, origin: addressOf(new URL(settings.baseUrl)), plan };
    const template = schema?.template ?? plan.template;
    await new RowRun({ ...parts, check, template, total, invalid, session }).perform();
  } finally {
    await data.close();
    // Not awaited: the process ends, and every connection with it.
    client?.close().catch(() => {});
  }
}

function clientOf(settings: ServiceSettings, { timeoutMs }: BulkPlan, flags: BulkFlags): TemplatePdf {
  const { allowInsecureHttp } = flags;
  // The service may take all of that time for rendering.
  const timeouts = { firstByte: Number.POSITIVE_INFINITY, total: timeoutMs };
  return new TemplatePdf({ ...settings, allowInsecureHttp, timeouts });
}
