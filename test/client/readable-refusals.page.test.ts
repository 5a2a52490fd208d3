import { type BadRequestError, TemplatePdf } from "template-pdf";
import { expect, it } from "vitest";
import { rejectionOf } from "../support/service.ts";
import { collectOutput } from "./leaks.ts";

/** Values that contain the words of error messages: placeholder names, ordinary words and sentences. */
const ordinaryValues = {
  name: "Zoë Müller",
  date: "20 November 2026",
  total: "£1,000,000",
  lines: [{ description: "Screws", quantity: 3, price: "date" }],
  customer: { address: "12 Mill Lane", email: "zoe@example.com" },
  note: "total",
  status: "required",
  kind: "missing value",
  remark: "The total must not be empty and the date is required",
  logo: "data:image/png;base64,iVBORw0KGgo=",
};

/** Messages with which services and validation libraries reject values. */
const refusals = [
  "total has no value",
  "The date field must be a valid date.",
  "must have required property 'total'",
  "must NOT have fewer than 1 items",
  'must match pattern "^[A-Z]+$"',
  '"lines[0].quantity" must be greater than or equal to 1',
  "Invalid input: expected string, received undefined",
  "Template inv_42 has no placeholder named remark",
  "Unknown property status. Expected one of: name, date, total.",
  "Cannot read the date: use the format YYYY-MM-DD.",
  "must be a date, such as 2026-11-20 or 2026-11-20T09:30:00Z",
  "Unknown image format.",
  "The request body is larger than the limit.",
];

/** Names, amounts, accounts, contacts, addresses, dates, sentences and tokens from typical documents. */
const secrets = [
  ...[
    "Zoë Müller|Mary-Jane O'Neil|İbrahim Çelik|Wm. Brown Jr.|Иван Петров|محمد علي|राम शर्मा|王小明",
    "Max Power|Tom Field|£1,000,000|€ 12.345,67|17.5%|-42.17|2½ hours|PO#77812|AB12 CDE",
    "DE89 3704 0044 0532 0130 00|123-45-6789|anna.price+bill@mail.example.co.uk|用户@例子.广告",
    "+49 (0) 30 901820|@zoe_mueller|192.168.17.23|https://example.com/u/zoe?token=abcDEF123",
    "221B Baker Street, London NW1 6XE|〒100-0001 東京都千代田区千代田1-1|20 November 2026|2026-11-20|Q4/2026",
    "hunter2|S3cr3t!|eyJhbGciOiJIUzI1NiJ9.e30.abc|99999999999999999999|50% off for <b>Tom</b> & family",
  ].flatMap((line) => line.split("|")),
  "The total must not be empty and the date is required",
  "my pin is 4821",
  "deliver\nbehind the\nshed",
  "C:\\clients\\secret\\merger.docx",
  "blood type AB",
  "name withheld",
];

const refusing = (values: Record<string, unknown>, message: string, hooks = {}) =>
  new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "sk_live_51H8abcdefgh",
    retry: false,
    hooks,
    fetch: async () => new Response(JSON.stringify({ message }), { status: 422 }),
  }).generate("invoice", values);

it.each(refusals)(
  "the message of an error response is not redacted if it contains no secret: %s",
  async (message) => {
    const error = (await rejectionOf(refusing(ordinaryValues, message))) as BadRequestError;
    expect(error.detail).toBe(message);
    expect(error.message).toContain(JSON.stringify(message));
  },
);

it.each(secrets)("a secret value is redacted if the response repeats it: %j", async (secret) => {
  const message = `The value ${secret} is not valid for the field name (${JSON.stringify(secret)}).`;
  const { places } = await collectOutput(async (hooks) => {
    const pending = refusing({ name: secret, note: "total" }, message, hooks);
    return { pending, error: await rejectionOf(pending.bytes()) };
  });
  for (const [place, text] of Object.entries(places)) {
    for (const spelled of [secret, JSON.stringify(secret).slice(1, -1)]) {
      expect(standsIn(text, spelled), place).toBe(false);
    }
  }
  expect(places["the error"]).toContain("is not valid for the field name");
});

it.each(["Zoë Müller", "4111111111111111", "zoe@example.com"])(
  "a secret value is redacted even if it is also a property name: %s",
  async (secret) => {
    const values = { name: secret, balances: { [secret]: 12 } };
    const error = (await rejectionOf(refusing(values, `The value ${secret} is not valid.`))) as Error;
    expect(error.message).not.toContain(secret);
    expect(error.message).toContain("is not valid");
  },
);

/** Whether a text contains another one as whole words. */
function standsIn(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = `${text[at - 1] ?? ""}${text[at + wanted.length] ?? ""}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
