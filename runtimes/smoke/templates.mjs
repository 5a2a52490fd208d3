import { template, ValuesError } from "template-pdf";
import * as z from "zod";
import { equal, holds, isDocument, rejectionOf } from "./expect.mjs";

const schema = z.object({
  date: z.string(),
  total: z.string().default("£0"),
  lines: z.array(z.number()).optional(),
});

export const templates = {
  "a typed template sends what its schema made of the values": async (stage) => {
    const invoice = template(await stage.template(), schema);
    isDocument(await stage.client().generate(invoice, { date: "today" }).bytes(), stage.document);
    const { requests } = await stage.seen(invoice.uid);
    equal(
      requests.map(({ values }) => values),
      [{ date: "today", total: "£0" }],
      "the values sent",
    );
  },

  "a typed template tells every wrong value, and sends none": async (stage) => {
    const invoice = template(await stage.template(), schema);
    const error = await rejectionOf(
      stage
        .client()
        .generate(invoice, { date: 7, lines: [1, "two"] })
        .bytes(),
    );
    holds(ValuesError.is(error), `Not a ValuesError: ${error}`);
    equal(
      error.issues.map(({ path }) => path),
      [["date"], ["lines", 1]],
      "the places",
    );
    equal((await stage.seen(invoice.uid)).requests.length, 0, "how often the service was asked");
  },

  "a schema may take its time": async (stage) => {
    const slow = schema.refine(async ({ date }) => date !== "never", { path: ["date"] });
    const invoice = template(await stage.template(), slow);
    const client = stage.client();
    isDocument(await client.generate(invoice, { date: "today" }).bytes(), stage.document);
    holds(
      ValuesError.is(await rejectionOf(client.generate(invoice, { date: "never" }).bytes())),
      "What it refused was sent.",
    );
  },
};
