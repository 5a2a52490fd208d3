import { TemplatePdf, template } from "template-pdf";
import { createHandler } from "template-pdf/handler";

const client = new TemplatePdf({ baseUrl: process.env.SERVICE, apiKey: process.env.SERVICE_KEY });

/** Any Standard Schema. */
const anything = { "~standard": { version: 1, vendor: "app", validate: (value) => ({ value }) } };

/** The endpoint that the page calls. */
export const handler = createHandler({
  client,
  templates: { invoice: template("inv_2024", anything) },
  authorize: () => true,
});

/** Returns the transport that sends the requests. */
export const transport = () => client.transport;
