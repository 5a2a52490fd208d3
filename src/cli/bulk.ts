import { addressOf } from "../request/endpoint.ts";
import { checkData } from "./bulk/check-data.ts";
import { dryRunLine, withRows } from "./bulk/open-rows.ts";
import { refuseOtherJournals } from "./bulk/other-journals.ts";
import { type BulkFlags, readPlan } from "./bulk/plan.ts";
import { RunFiles } from "./bulk/run-files.ts";
import { RowRun } from "./bulk/run-rows.ts";
import { openClient } from "./service-client.ts";
import { readServiceSettings } from "./service-settings.ts";
import type { Session } from "./terminal.ts";

/**
 * Generates a document from every row of a file. A second run with the same journal resumes the first.
 *
 * @throws {Misuse} if the command line, the data, the journal or a folder is invalid; nothing was sent
 * @throws everything that {@link RowRun.perform} throws
 */
export async function bulk(uid: string, file: string, flags: BulkFlags, session: Session): Promise<void> {
  const { terminal } = session;
  const plan = readPlan(uid, file, flags);
  const files = new RunFiles(plan, flags.schema, process.platform);
  const settings = flags.dryRun ? undefined : await readServiceSettings(flags.baseUrl, terminal);
  const client = settings && openClient(settings, plan.timeoutMs, flags);
  try {
    await withRows(plan, flags, session, async ({ data, schema }) => {
      const check = { data, plan, files, schema };
      const use = { isDryRun: client === undefined, skipsInvalid: plan.skipsInvalid };
      const { good: total, invalid, emptyColumns } = await checkData(check, terminal, use);
      if (!client) {
        terminal.stdout.write(dryRunLine(data, total, plan.limit));
        return;
      }
      await refuseOtherJournals(plan, flags);
      const parts = { client, origin: addressOf(new URL(settings.baseUrl)), plan };
      const template = schema?.template ?? plan.template;
      await new RowRun({ ...parts, check, template, total, invalid, emptyColumns, session }).perform();
    });
  } finally {
    // Not awaited: the process exits and closes every connection.
    client?.close().catch(() => {});
  }
}
