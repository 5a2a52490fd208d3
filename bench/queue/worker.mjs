// One worker of a queue, in a process of its own, until it is killed. The one argument is JSON. It sends its errors to its parent.
import { TemplatePdf } from "template-pdf";
import { folder } from "template-pdf/bulk";
import { bulkQueue } from "template-pdf/queue";

const { url, name, baseUrl, out, work } = JSON.parse(process.argv[2]);
const client = new TemplatePdf({ baseUrl, apiKey: "bench" });
const sink = out ? folder(`${out}/{{n}}.pdf`) : { put: (_key, pdf) => pdf.bytes() };
const onError = ({ message }) => process.send({ error: message });
process.on("disconnect", () => process.exit());
try {
  await bulkQueue({ connection: url, name }).work({ client, sink, onError, ...work }).done;
} catch ({ message }) {
  process.send({ stopped: message }, () => process.exit(1));
}
