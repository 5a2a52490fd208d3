import { TruncatedPdfError, ValuesError } from "template-pdf";
import { assertWholePdf, faults, pdfText } from "template-pdf/testing";
import { afterEach, expect, test, vi } from "vitest";
import { type Order, sendInvoice, sendReminder } from "../src/send-invoice.ts";
import { mails, pdfService } from "./services.ts";

const order: Order = {
  number: "2026-0117",
  customer: { name: "Zoë Krüger", mail: "zoe@example.com" },
  items: [
    { name: "Café menu", pence: 64_000 },
    { name: "Fitting", pence: 59_450 },
  ],
};

afterEach(() => vi.useRealTimers());

test("an invoice holds the items of the order and their sum", async () => {
  await sendInvoice(order);

  const [call] = pdfService.calls;
  // `uid` tells which template it is, and the type of `values` follows: amounts are text, as the schema makes them.
  if (call?.uid !== "inv_2024") throw new Error("No invoice was asked for.");
  const amounts: string[] = call.values.lines.map(({ amount }) => amount);
  expect(amounts).toEqual(["£640.00", "£594.50"]);
  expect(call.values.total).toBe("£1,234.50");
});

test("the customer gets the document that was made", async () => {
  await sendInvoice(order);

  expect(mails).toHaveLength(1);
  for (const { to, pdf } of mails) {
    expect(to).toBe("zoe@example.com");
    assertWholePdf(pdf);
    expect(await pdfText(pdf)).toContain("customer: Zoë Krüger");
  }
});

test("an order without items is refused before anything is sent", async () => {
  const error = await sendInvoice({ ...order, items: [] }).catch((error: unknown) => error);

  if (!ValuesError.is(error)) throw error;
  expect([error.uid, error.issues.map(({ path }) => path)]).toEqual(["inv_2024", [["lines"]]]);
  expect(pdfService.calls).toEqual([]);
});

test("trouble that passes is not seen by anybody", async () => {
  vi.useFakeTimers();
  pdfService.fail(faults.serverError({ status: 503 }), { times: 1 });

  const sending = sendInvoice(order);
  await pdfService.waitForCall();
  // The client waits half a second at most before it tries again: here, no time at all.
  await vi.advanceTimersByTimeAsync(500);
  await sending;

  expect(pdfService.calls.map(({ fault }) => fault)).toEqual(["an answer with 503", undefined]);
  expect(mails).toHaveLength(1);
});

test("half a document is mailed to nobody", async () => {
  vi.useFakeTimers();
  pdfService.fail(faults.cutOff(), { uid: "rem_2024" });

  const outcome = sendReminder(order, 14).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  const error = await outcome;

  expect(TruncatedPdfError.is(error)).toBe(true);
  expect(pdfService.calls).toHaveLength(3);
  expect(mails).toEqual([]);
});
