import { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { isOrdinary } from "../../src/errors/ordinary-words.ts";
import { rejectionOf } from "../support/service.ts";
import { collectOutput } from "./leaks.ts";

/** Values that contain the words of error messages: placeholder names, ordinary words and sentences. */
const ordinaryValues = {
  name: "Zoë Müller",
  date: "20 November 2026",
  dueDate: "21 November 2026",
  total: "£1,000,000",
  lines: [{ description: "Screws", quantity: 3, price: "date" }],
  customer: { address: "12 Mill Lane", email: "zoe@example.com" },
  note: "total",
  status: "required",
  kind: "missing value",
  remark: "The total must not be empty and the date is required",
};

/** Messages with which services and validation libraries reject values. */
const refusals = [
  "total has no value",
  "The total field is required.",
  "The date field must be a valid date.",
  "The name may not be greater than 255 characters.",
  "This field may not be blank.",
  "Missing required property: total",
  "must have required property 'total'",
  "must NOT have fewer than 1 items",
  "must be equal to one of the allowed values",
  'must match pattern "^[A-Z]+$"',
  '"total" is not allowed to be empty',
  '"lines[0].quantity" must be greater than or equal to 1',
  "Invalid input: expected string, received undefined",
  "Too small: expected array to have >=1 items",
  "Unrecognized key: total",
  "value is not a valid email address",
  "property note should not exist",
  "Total can't be blank",
  "Template inv_42 has no placeholder named remark",
  "customer.address is missing",
  "Unknown property status. Expected one of: name, date, total.",
  "Cannot read the date: use the format YYYY-MM-DD.",
  "The request body is larger than the limit.",
  "Unsupported template format.",
];

/** Names, amounts, accounts, contacts, addresses, dates, sentences and tokens from typical documents. */
const secrets = [
  ...[
    "Zoë Müller|Jo Li|Mary-Jane O'Neil|İbrahim Çelik|Wm. Brown Jr.|Иван Петров|محمد علي|राम शर्मा|王小明|佐藤 花子",
    "Grace Hopper|Max Power|Al|Tom Field|£1,000,000|€ 12.345,67|1 234 567,89 kr|17.5%|-42.17|2½ hours|12x",
    "DE89 3704 0044 0532 0130 00|4111 1111 1111 1111|123-45-6789|GB 123 4567 89|PO#77812|AB12 CDE",
    "anna.price+bill@mail.example.co.uk|用户@例子.广告|+49 (0) 30 901820|@zoe_mueller|192.168.17.23",
    "https://example.com/u/zoe?token=abcDEF123|221B Baker Street, London NW1 6XE|Rue de l'Église 7, 1000 Bruxelles",
    "〒100-0001 東京都千代田区千代田1-1|Apt 4C|20 November 2026|2026-11-20|3rd of March 1961|Q4/2026|17:45:12",
    "hunter2|S3cr3t!|eyJhbGciOiJIUzI1NiJ9.e30.abc|0xDEADBEEF|x9|007|42|3.14159|99999999999999999999",
  ].flatMap((line) => line.split("|")),
  "The total must not be empty and the date is required",
  "total value of the order",
  "He was dismissed for theft on Monday.",
  "not for her",
  "is he ok",
  "my pin is 4821",
  "Vielen Dank für Ihren Auftrag",
  "ご利用ありがとうございます",
  "شكرا لك",
  "deliver\nbehind the\nshed",
  'she said "never again"',
  "50% off for <b>Tom</b> & family",
  "C:\\clients\\secret\\merger.docx",
  "blood type AB",
  "case no. 17 of 2026",
  "name withheld",
  "No Limit Records",
  "first instalment of three",
];

const refusing = (values: object, body: unknown, hooks?: object) =>
  new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "sk_live_51H8abcdefgh",
    retry: false,
    ...(hooks && { hooks }),
    fetch: async () => new Response(JSON.stringify(body), { status: 422 }),
  }).generate("invoice", values as Record<string, unknown>);

describe("the message of a rejected request", () => {
  it.each(refusals)("is not redacted if it contains no secret: %s", async (message) => {
    const error = (await rejectionOf(refusing(ordinaryValues, { message }).bytes())) as Error & {
      detail: string;
    };
    expect(error.detail).toBe(message);
    expect(error.message).toContain(JSON.stringify(message));
  });
});

describe("a secret value", () => {
  it.each(secrets)("is redacted if the response repeats it: %j", async (secret) => {
    const message = `The value ${secret} is not valid for the field name (${JSON.stringify(secret)}).`;
    const { places, error } = await collectOutput(async (hooks) => {
      const pending = refusing({ name: secret, note: "total" }, { message }, hooks);
      return { pending, error: await rejectionOf(pending.bytes()) };
    });
    for (const [place, text] of Object.entries(places)) {
      for (const spelled of [secret, JSON.stringify(secret).slice(1, -1)]) {
        expect(standsIn(text, spelled), place).toBe(false);
      }
    }
    expect(places["message"]).toContain("is not valid for the field name");
    // A long word of a value is secret, too, unless it is a word of error messages.
    const told = (error as { detail: string }).detail.toLowerCase().match(/[\p{L}\p{N}]+/gu);
    for (const word of secret.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []) {
      if (!isOrdinary(word)) expect(told).not.toContain(word);
    }
  });

  it.each([
    ["Zoë Müller", { name: "Zoë Müller", balances: { "Zoë Müller": 12 } }],
    ["4111111111111111", { card: "4111111111111111", byCard: { "4111111111111111": true } }],
    ["zoe@example.com", { email: "zoe@example.com", attendees: { "zoe@example.com": "yes" } }],
  ])("is redacted even if it is also a property name: %s", async (secret, values) => {
    const error = (await rejectionOf(
      refusing(values, { message: `The value ${secret} is not valid.` }).bytes(),
    )) as Error;
    expect(error.message).not.toContain(secret);
    expect(error.message).toContain("is not valid");
  });
});

/** Whether a text contains another one as whole words. */
function standsIn(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = `${text[at - 1] ?? ""}${text[at + wanted.length] ?? ""}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
