// One contender in a process of its own: warms up, then reports the CPU time it spends on a document.
// node contender.mjs <name> <origin> <bytes> <documents> <in flight>
const [name, origin, bytes, documents, inFlight] = process.argv.slice(2);

const apiKey = "0123456789abcdef0123456789abcdef";
const values = {
  date: "20 November 2026",
  total: "£1,000,000",
  customer: { name: "Ada Lovelace", city: "London" },
};
const path = `/api/v1/templates/${bytes}/generate-sync`;
const headers = ["authorization", `API-Key ${apiKey}`, "content-type", "application/json"];

/** Each makes the function that fetches one document, and returns its length. */
const contenders = {
  "undici dispatch": async () => {
    const { Agent } = await import("undici");
    const agent = new Agent();
    return () =>
      new Promise((resolve, reject) => {
        const chunks = [];
        agent.dispatch(
          { origin, path, method: "POST", headers, body: JSON.stringify(values) },
          {
            onRequestStart() {},
            onResponseStart() {},
            onResponseData: (_, chunk) => chunks.push(chunk),
            onResponseEnd: () => resolve(Buffer.concat(chunks).length),
            onResponseError: (_, error) => reject(error),
          },
        );
      });
  },
  "undici request": async () => {
    const { Agent, request } = await import("undici");
    const dispatcher = new Agent();
    return async () => {
      const answer = await request(origin + path, {
        dispatcher,
        method: "POST",
        headers,
        body: JSON.stringify(values),
      });
      return (await answer.body.arrayBuffer()).byteLength;
    };
  },
  "global fetch": async () => async () => {
    const answer = await fetch(origin + path, {
      method: "POST",
      headers: { authorization: headers[1], "content-type": headers[3] },
      body: JSON.stringify(values),
    });
    return (await answer.arrayBuffer()).byteLength;
  },
  "template-pdf bytes()": async () => {
    const { TemplatePdf } = await import("template-pdf");
    const pdfs = new TemplatePdf({ baseUrl: origin, apiKey });
    return async () => (await pdfs.generate(bytes, values).bytes()).length;
  },
};

const generate = await contenders[name]();

async function run(count) {
  let left = count;
  const lane = async () => {
    while (left-- > 0) {
      const length = await generate();
      if (length !== Number(bytes)) throw new Error(`${name} got ${length} bytes instead of ${bytes}`);
    }
  };
  await Promise.all(Array.from({ length: Number(inFlight) }, lane));
}

await run(Math.ceil(Number(documents) / 3));
const before = process.cpuUsage();
await run(Number(documents));
const { user, system } = process.cpuUsage(before);
process.send?.({ microseconds: (user + system) / Number(documents), rss: process.resourceUsage().maxRSS });
process.disconnect?.();
process.exit();
