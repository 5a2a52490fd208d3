// One worker of a queue, in a process of its own, until it is killed. The one argument is JSON.
import { TemplatePdf } from "template-pdf";
import { bulkQueue } from "template-pdf/queue";

const { url, name, baseUrl, concurrency } = JSON.parse(process.argv[2]);
const client = new TemplatePdf({ baseUrl, apiKey: "bench" });
const sink = { put: (_key, pdf) => pdf.bytes() };
await bulkQueue({ connection: url, name }).work({ client, sink, concurrency }).done;
