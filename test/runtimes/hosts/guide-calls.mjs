// Calls what docs/guides/handler.md shows, and prints the status of each response.
import { createStaticHandler } from "react-router";
import { TemplatePdf } from "template-pdf";
import { createHandler } from "template-pdf/handler";
import { byCookie, byToken } from "./authorize.js";
import { onError } from "./log.js";
import { handler, templates } from "./pdf.js";
import { action, loader } from "./react-router.js";
import { fallback } from "./sveltekit.js";
import { values } from "./values.js";

const client = new TemplatePdf();
const ada = { cookie: "ada" };
const create = (options) => createHandler({ client, templates, ...options });
const post = (headers, name = "invoice") =>
  new Request(`http://localhost/api/pdf/api/v1/templates/${name}/generate-sync`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: '{"date":"today","total":"£1"}',
  });
const get = () => new Request(post(ada).url, { headers: ada });
const router = createStaticHandler([{ id: "pdf", path: "/api/pdf/*", action, loader }]);
const failing = () => {
  throw new Error("for the log");
};

const responses = {
  "pdf.ts": await handler(post(ada)),
  "pdf.ts, a stranger": await handler(post({})),
  sveltekit: await fallback({ request: post(ada) }),
  "sveltekit, GET": await fallback({ request: get() }),
  "react-router": await router.queryRoute(post(ada)),
  "react-router, GET": await router.queryRoute(get()),
  "byCookie, a stranger": await create({ authorize: byCookie })(post({})),
  "byCookie, a payslip": await create({ templates: { payslip: templates.invoice }, authorize: byCookie })(
    post(ada, "payslip"),
  ),
  byToken: await create({ authorize: byToken, values })(post({ ...ada, authorization: "Bearer ada" })),
  "byToken, a stranger": await create({ authorize: byToken })(post({ authorization: "Bearer eve" })),
  "log.ts": await create({ authorize: failing, onError })(post(ada)),
};
const statuses = Object.entries(responses).map(([name, { status }]) => [name, status]);
console.log(JSON.stringify(Object.fromEntries(statuses)));
