import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { piecesOf } from "../../bench/servers/big-content.mjs";
import { makeProject, runNode } from "../package/consumer.ts";

// How much memory a process needs for large documents, in processes of their own, because peaks do not go away.

const megabyte = 1_000_000;

/** `/api/v1/templates/<bytes>/…` says how long the document is to be. */
const server = createServer((request, response) => {
  const size = Number(/templates\/(\d+)\//.exec(request.url ?? "")?.[1]);
  response.writeHead(200, { "content-length": size });
  request.resume();
  Readable.from(piecesOf(size)).pipe(response);
});
await once(server.listen(0, "127.0.0.1"), "listening");
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

/** Prints by how much a document of so many megabytes raised the peak of the process, in megabytes. */
const measuring = (read: string) => `
  import { TemplatePdf } from "template-pdf";
  const [baseUrl, megabytes] = process.argv.slice(2);
  const client = new TemplatePdf({ baseUrl, apiKey: "key" });
  const read = async (pending) => { ${read} };
  // Once before: what the code itself takes is no matter of the document.
  await read(client.generate("${megabyte}", {}));
  const before = process.resourceUsage().maxRSS;
  const length = await read(client.generate(String(megabytes * ${megabyte}), {}));
  const raisedBy = ((process.resourceUsage().maxRSS - before) * 1024) / ${megabyte};
  const heldInBuffers = process.memoryUsage().arrayBuffers / ${megabyte};
  console.log(JSON.stringify({ length, raisedBy, heldInBuffers }));
  process.exit();
`;

/** Reads one chunk in several turns of the event loop: the service could send many more in that time. */
const slowly = (stream: string) => `
  let length = 0;
  for await (const chunk of await ${stream}) {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    length += chunk.length;
  }
  return length;
`;

const forms = {
  "bytes()": "return (await pending.bytes()).length;",
  "buffer()": "return (await pending.buffer()).length;",
  "arrayBuffer()": "return (await pending.arrayBuffer()).byteLength;",
  "saveTo()": 'return (await pending.saveTo("large.pdf")).bytes;',
  "a slow reader of stream()": slowly("pending.stream()"),
  "a slow reader of nodeStream()": slowly("pending.nodeStream()"),
  "a loop that takes its time": slowly("pending"),
};

const project = makeProject(
  "big-bodies",
  Object.fromEntries(Object.values(forms).map((read, index) => [`${index}.mjs`, measuring(read)])),
);

async function measure(form: keyof typeof forms, megabytes: number) {
  const script = `${Object.keys(forms).indexOf(form)}.mjs`;
  const found: { length: number; raisedBy: number; heldInBuffers: number } = JSON.parse(
    await runNode(project, script, baseUrl, String(megabytes)),
  );
  expect(found.length).toBe(megabytes * megabyte);
  console.info(`${form} of ${megabytes} MB raised the peak by ${found.raisedBy.toFixed(0)} MB`);
  return found;
}

// The garbage of a socket's chunks comes on top: tens of megabytes, whatever the document is.
describe("a document of 240 MB, its length known,", () => {
  it.each(["bytes()", "buffer()", "arrayBuffer()"] as const)("is held once by %s", async (form) => {
    const { raisedBy, heldInBuffers } = await measure(form, 240);
    expect(raisedBy).toBeLessThan(400);
    expect(heldInBuffers).toBeLessThan(340);
  });
});

describe("a document of 300 MB", () => {
  it.each([
    "saveTo()",
    "a slow reader of stream()",
    "a slow reader of nodeStream()",
    "a loop that takes its time",
  ] as const)("leaves the memory flat for %s", async (form) => {
    const { raisedBy } = await measure(form, 300);
    expect(raisedBy).toBeLessThan(120);
  });
});
