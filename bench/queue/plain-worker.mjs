// A BullMQ worker without this package's queue, for comparison. It stores documents as `folder()` does: it syncs a draft, renames it,
// and syncs the folder once for all documents that are waiting for it. The one argument is JSON.
import { randomUUID } from "node:crypto";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "bullmq";
import { TemplatePdf } from "template-pdf";

const { url, name, baseUrl, out, work } = JSON.parse(process.argv[2]);
const client = new TemplatePdf({ baseUrl, apiKey: "bench" });
process.on("disconnect", () => process.exit());

async function store({ data: { template, values } }) {
  const draft = join(out, `.${randomUUID()}`);
  const file = await open(draft, "wx", 0o600);
  await file.writeFile(await client.generate(template, values).bytes());
  await file.sync();
  await file.close();
  await rename(draft, join(out, `${values.n}.pdf`));
  await syncNext();
}

let running = Promise.resolve();
let next;

/** Syncs the folder after the running sync, which may not include the latest document. */
function syncNext() {
  next ??= running.then(() => {
    next = undefined;
    running = syncFolder();
    return running;
  });
  return next;
}

async function syncFolder() {
  const folder = await open(out);
  await folder.sync();
  await folder.close();
}

new Worker(name, store, { connection: { url, maxRetriesPerRequest: null }, ...work });
