// Runs one contender in a new process, and prints the time to load it or to get the first document.
// bench/cold-start.mjs runs it as an ES module and, with `load` as `require`, as CommonJS.
// node cold-start-contender.mjs <what> <origin>
const scriptAt = performance.now();
const load = (name) => import(name);
const [what, origin] = process.argv.slice(2);

const uid = "2000";
const apiKey = "0123456789abcdef0123456789abcdef";
const values = { date: "20 November 2026", total: "£1,000,000" };
const url = `${origin}/api/v1/templates/${uid}/generate-sync`;
const request = () => ({
  method: "POST",
  headers: { authorization: `API-Key ${apiKey}`, "content-type": "application/json" },
  body: JSON.stringify(values),
});

const contenders = {
  nothing: () => undefined,
  "load template-pdf": () => load("template-pdf"),
  "load undici": () => load("undici"),
  "document by global fetch": async () => (await fetch(url, request())).arrayBuffer(),
  "document by undici request": async () => {
    const undici = await load("undici");
    return (await undici.request(url, request())).body.arrayBuffer();
  },
  "document by template-pdf": async () => {
    const { TemplatePdf } = await load("template-pdf");
    return new TemplatePdf({ baseUrl: origin, apiKey }).generate(uid, values).bytes();
  },
};

async function measure() {
  const document = await contenders[what]();
  const endAt = performance.now();
  if (what.startsWith("document") && document.byteLength !== Number(uid)) throw new Error(`${what} failed`);
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify([endAt, endAt - scriptAt, (user + system) / 1e3]));
  process.exit();
}

measure();
