import { resolveOptions } from "../../../src/options/client-options.ts";
import { wholeForms } from "../../faults/whole-forms.ts";
import { constantOf } from "../constant-of.ts";
import { inBinaryUnits } from "../in-words.ts";
import { tableOf } from "../table-of.ts";

/** A table of the forms of a document: what they give, and what of it is in memory at once. */
export default function forms(): string {
  const [held, ahead, queued, believed] = [
    constantOf("src/call/body.ts", "maxHeldBytes"),
    constantOf("src/document/web-stream.ts", "highWaterMark"),
    constantOf("src/document/file-sink.ts", "maxQueuedBytes"),
    constantOf("src/document/memory-sink.ts", "maxBelievedBytes"),
  ].map(inBinaryUnits);
  const { maxBytes } = resolveOptions({ baseUrl: "https://pdf.example.com", apiKey: null });
  const once = "the document once";
  const rows: readonly (readonly [form: string, gives: string, memory: string])[] = [
    ["bytes()", "`Uint8Array` that owns its memory", once],
    ["buffer()", "Node's `Buffer`", `${once}: it is the same memory`],
    ["arrayBuffer()", "`ArrayBuffer`", `${once}: it is the same memory`],
    ["blob()", "`Blob` of type `application/pdf`", "the document, and for a moment a copy"],
    ["stream()", "web `ReadableStream`", `${ahead} ahead of the reader`],
    ["nodeStream()", "Node `Readable`", "what Node's streams buffer ahead of the reader"],
    ["response()", "web `Response`, streamed", `${ahead} ahead of the reader`],
    ["for await", "its chunks, one by one", `${ahead} ahead of the loop`],
    ["saveTo()", "a file: the whole of it or none", `${queued} that waits for the disk`],
  ];
  return `${tableOf(
    ["form", "gives", "in memory", "made again of another document, where the first breaks"],
    rows.map(([form, gives, memory]) => [
      `\`${form}\``,
      gives,
      memory,
      wholeForms.includes(form) ? "yes" : "no",
    ]),
  )}

A form in memory is made in one piece where the answer tells its length (and that is no more than ${believed}); else its parts are put
together in the end, and for a moment it is there twice. It may have ${inBinaryUnits(maxBytes)} at most (\`maxBytes\`). A document that is awaited and
not read holds ${held}, and then the service has to wait.`;
}
