import { TemplatePdf } from "template-pdf";
import { describe, expect, it } from "vitest";
import { ordinaryWords } from "../../src/errors/secret-words.ts";
import { rejectionOf } from "../support/service.ts";
import { whatComesOut } from "./leaks.ts";

/** Values that hold what refusals are made of: names of placeholders, ordinary words, and sentences of them. */
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

/** As services and the libraries that they are written with refuse values. */
const refusals = [
  "total has no value",
  "total is required",
  "The total field is required.",
  "The date field must be a valid date.",
  "The name may not be greater than 255 characters.",
  "This field may not be blank.",
  "This field is required.",
  "Missing required property: total",
  "must have required property 'total'",
  "must NOT have additional properties",
  "must NOT have fewer than 1 items",
  "must be string",
  "must be equal to one of the allowed values",
  'must match pattern "^[A-Z]+$"',
  'must match format "date"',
  '"total" is not allowed to be empty',
  '"total" must be a number',
  '"lines[0].quantity" must be greater than or equal to 1',
  "Invalid input: expected string, received undefined",
  "Invalid input: expected number, received string",
  "Too small: expected array to have >=1 items",
  "Unrecognized key: total",
  "Invalid type: Expected string but received undefined",
  "Input should be a valid string",
  "value is not a valid email address",
  "String should have at least 1 character",
  "total must be a number conforming to the specified constraints",
  "total should not be empty",
  "property note should not exist",
  "Total can't be blank",
  "Name is too long (maximum is 255 characters)",
  "must not be null",
  "size must be between 1 and 255",
  "Template inv_42 has no placeholder named remark",
  "The placeholder dueDate has no value.",
  "customer.address is missing",
  "lines.0.description: expected string, got null",
  "No value was given for the placeholder total of template inv_42.",
  "The value of total must be text; write it as a string.",
  "Unknown property status. Expected one of: name, date, total.",
  "The values are invalid: name is missing, date is required.",
  "Cannot read the date: use the format YYYY-MM-DD.",
  "The request body is larger than the limit.",
  "Unsupported template format.",
];

const names = [
  ..."Zoë Müller|Anna Price|Li Wei|Jo Li|Mary-Jane O'Neil|José Ñíguez|Łukasz Wiśniewski|Søren Kierkegaard|Nguyễn Thị Minh Khai|Dvořák".split(
    "|",
  ),
  ..."İbrahim Çelik|Öğretmen Işık|Ngozi Adébáyò|Björk Guðmundsdóttir|Wm. Brown Jr.|van der Berg|D'Angelo|St. John Smythe|Prof. Dr. Ute Maß|X Æ".split(
    "|",
  ),
  ..."Иван Петров|Олена Шевченко|Γιώργος Παπαδόπουλος|Արամ Խաչատրյան|გიორგი|דוד כהן|محمد علي|فاطمة الزهراء|राम शर्मा|அருண் குமார்".split(
    "|",
  ),
  ..."สมชาย ใจดี|王小明|李伟|山田太郎|佐藤 花子|김민수|박 지성|ሰላም|ញ៉ាន|مريم".split("|"),
  ..."Grace Hopper|Max Power|Rosa Luxemburg|Chloé|Günther|Siobhán|Thandiwe|Xiulan|Ada|Bob|Al|Kim Jong|Tom Field|Eva Marie Saint|Ruth Bader Ginsburg|Otto|Ñ Ó".split(
    "|",
  ),
];
const amounts = [
  ..."£1,000,000|€ 12.345,67|$99.99|1 234 567,89 kr|CHF 1'000.50|¥120,000|12,50 €|₹1,00,000|-42.17|1000000.01".split(
    "|",
  ),
  ..."USD 3.5m|17.5%|0.0825|7000123.25|EUR 1234|1e6|2½ hours|12x|PLN 1999,99|R$ 10,00".split("|"),
];
const accounts = [
  ..."GB33BUKB20201555555555|DE89 3704 0044 0532 0130 00|FR14 2004 1010 0505 0001 3M02 606|NL91ABNA0417164300|CH9300762011623852957".split(
    "|",
  ),
  ..."4111 1111 1111 1111|5500-0000-0000-0004|20-15-55 43210987|021000021|DEUTDEFF500|123-45-6789|900101-1234567|ATU12345678|GB 123 4567 89|BE0123.456.789".split(
    "|",
  ),
  ..."INV-2026-000123|PO#77812|AB12 CDE|WVWZZZ1JZXW000001|978-3-16-148410-0".split("|"),
];
const contacts = [
  ..."zoe@example.com|anna.price+bill@mail.example.co.uk|o'neil@example.org|用户@例子.广告|info@müller.example|+44 20 7946 0958|(555) 123-4567|0171/1234567|+49 (0) 30 901820|tel:+1-201-555-0123".split(
    "|",
  ),
  ..."https://example.com/u/zoe?token=abcDEF123|www.mueller-soehne.example|@zoe_mueller|192.168.17.23|2001:db8::8a2e:370:7334".split(
    "|",
  ),
];
const addresses = [
  ..."12 Mill Lane|221B Baker Street, London NW1 6XE|Hauptstraße 5, 10115 Berlin|10 Downing St|1600 Pennsylvania Ave NW|Rue de l'Église 7, 1000 Bruxelles|Plaza Mayor 3, 28012 Madrid|Via Roma 12, 00184 Roma|ul. Długa 4/5, 00-238 Warszawa|〒100-0001 東京都千代田区千代田1-1".split(
    "|",
  ),
  ..."北京市海淀区中关村大街27号|서울특별시 종로구 사직로 161|г. Москва, ул. Тверская, д. 7|Apt 4C|PO Box 77|Flat 2, The Old Mill, Kent|Suite 900|Kungsgatan 3 B|Calle 50 #12-34|Unit 7, Dock Road".split(
    "|",
  ),
];
const dates = [
  ..."20 November 2026|2026-11-20|11/20/26|20.11.2026|3rd of March 1961|born 1961-03-03|Q4/2026|17:45:12|2026-W47|Nov 20".split(
    "|",
  ),
];
const sentences = [
  "Please pay the total before Friday to Anna.",
  "Dear Sir, your complaint of last week has been noted.",
  "The total must not be empty and the date is required",
  "total value of the order",
  "He was dismissed for theft on Monday.",
  "Diagnosis: acute appendicitis",
  "Salary raised by ten percent",
  "not for her",
  "is he ok",
  "Do not tell Bob",
  "password hunter2",
  "my pin is 4821",
  "allergic to penicillin",
  "Vielen Dank für Ihren Auftrag",
  "Merci de votre confiance",
  "ご利用ありがとうございます",
  "谢谢您的订单",
  "شكرا لك",
  "Спасибо за заказ",
  "Le total doit être payé",
  "deliver\nbehind the\nshed",
  'she said "never again"',
  "50% off for <b>Tom</b> & family",
  "C:\\clients\\secret\\merger.docx",
  "acquire Initech by March",
  "blood type AB",
  "patient 0042",
  "case no. 17 of 2026",
  "union member since 1999",
  "will plead guilty",
  "order cancelled by Eve",
  "name withheld",
  "Total Eclipse Ltd",
  "No Limit Records",
  "first instalment of three",
  "owes Mallory a favour",
  "arrears since June",
  "visa refused",
  "on parole",
  "in rehab until May",
];
const tokens = [
  ..."hunter2|correct-horse-battery|S3cr3t!|eyJhbGciOiJIUzI1NiJ9.e30.abc|7f3a9c|0xDEADBEEF|a1b2c3d4e5f6|Tr0ub4dor&3|pa55word|sesame".split(
    "|",
  ),
  ..."550e8400-e29b-41d4-a716-446655440000|Ab1|x9|Q7-11|K-17|007|42|1999|3.14159|99999999999999999999".split(
    "|",
  ),
];
const secrets = [
  ...names,
  ...amounts,
  ...accounts,
  ...contacts,
  ...addresses,
  ...dates,
  ...sentences,
  ...tokens,
];

const refusing = (values: object, body: unknown, hooks?: object) =>
  new TemplatePdf({
    baseUrl: "https://pdf.example.com",
    apiKey: "sk_live_51H8abcdefgh",
    retry: false,
    ...(hooks && { hooks }),
    fetch: async () => new Response(JSON.stringify(body), { status: 422 }),
  }).generate("invoice", values as Record<string, unknown>);

describe("A refusal", () => {
  it.each(refusals)("stays readable word for word: %s", async (message) => {
    const error = (await rejectionOf(refusing(ordinaryValues, { message }).bytes())) as Error & {
      detail: string;
    };
    expect(error.detail).toBe(message);
    expect(error.message).toContain(JSON.stringify(message));
  });
});

describe("A value", () => {
  it.each(secrets)("appears nowhere when a refusal repeats it: %j", async (secret) => {
    const message = `The value ${secret} is not valid for the field name (${JSON.stringify(secret)}).`;
    const { places, error } = await whatComesOut(async (hooks) => {
      const pending = refusing({ name: secret, note: "total" }, { message }, hooks);
      return { pending, error: await rejectionOf(pending.bytes()) };
    });
    for (const [place, text] of Object.entries(places)) {
      for (const spelled of [secret, JSON.stringify(secret).slice(1, -1)]) {
        expect(standsIn(text, spelled), place).toBe(false);
      }
    }
    expect(places["message"]).toContain("is not valid for the field name");
    // A long word of it tells something, too, unless every refusal has it.
    const told = (error as { detail: string }).detail.toLowerCase().match(/[\p{L}\p{N}]+/gu);
    for (const word of secret.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []) {
      if (!ordinaryWords.has(word)) expect(told).not.toContain(word);
    }
  });

  it.each([
    ["Zoë Müller", { name: "Zoë Müller", balances: { "Zoë Müller": 12 } }],
    ["4111111111111111", { card: "4111111111111111", byCard: { "4111111111111111": true } }],
    ["zoe@example.com", { email: "zoe@example.com", attendees: { "zoe@example.com": "yes" } }],
  ])("appears nowhere even if it is also the name of a member: %s", async (secret, values) => {
    const error = (await rejectionOf(
      refusing(values, { message: `The value ${secret} is not valid.` }).bytes(),
    )) as Error;
    expect(error.message).not.toContain(secret);
    expect(error.message).toContain("is not valid");
  });
});

/** Whether a text holds another, and not merely as a part of its own words. */
function standsIn(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    const around = `${text[at - 1] ?? ""}${text[at + wanted.length] ?? ""}`;
    if (!/[\p{L}\p{N}]/u.test(around)) return true;
  }
  return false;
}
