// Calls what docs/guides/handler.md shows, and prints the status of each response.
import { createStaticHandler } from "react-router";
import { handler } from "./pdf.js";
import { action, loader } from "./react-router.js";
import { fallback } from "./sveltekit.js";

const ada = { cookie: "ada" };
const post = (headers) =>
  new Request("http://localhost/api/pdf/api/v1/templates/invoice/generate-sync", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: '{"date":"today","total":"£1"}',
  });
const get = () => new Request(post(ada).url, { headers: ada });
const router = createStaticHandler([{ id: "pdf", path: "/api/pdf/*", action, loader }]);

const responses = {
  "pdf.ts": await handler(post(ada)),
  "pdf.ts, a stranger": await handler(post({})),
  sveltekit: await fallback({ request: post(ada) }),
  "sveltekit, GET": await fallback({ request: get() }),
  "react-router": await router.queryRoute(post(ada)),
  "react-router, GET": await router.queryRoute(get()),
};
const statuses = Object.entries(responses).map(([name, { status }]) => [name, status]);
console.log(JSON.stringify(Object.fromEntries(statuses)));
