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

test("an invoice contains the items of the order and their sum", async () => {
  await sendInvoice(order);

  const [call] = pdfService.calls;
  // `uid` narrows the type of `values`. Amounts are text, because the schema formats them.
  if (call?.uid !== "invoice") throw new Error("The first call is not for an invoice.");
  const amounts: string[] = call.values.lines.map(({ amount }) => amount);
  expect(amounts).toEqual(["£640.00", "£594.50"]);
  expect(call.values.total).toBe("£1,234.50");
});

test("the customer receives the generated document", async () => {
  await sendInvoice(order);

  expect(mails).toHaveLength(1);
  for (const { to, pdf } of mails) {
    expect(to).toBe("zoe@example.com");
    assertWholePdf(pdf);
    expect(await pdfText(pdf)).toContain("customer: Zoë Krüger");
  }
});

test("an order without items is rejected before a request is sent", async () => {
  const error = await sendInvoice({ ...order, items: [] }).catch((error: unknown) => error);

  if (!ValuesError.is(error)) throw error;
  expect([error.uid, error.issues.map(({ path }) => path)]).toEqual(["invoice", [["lines"]]]);
  expect(pdfService.calls).toEqual([]);
});

test("a transient failure is retried", async () => {
  vi.useFakeTimers();
  pdfService.fail(faults.serverError({ status: 503 }), { times: 1 });

  const sending = sendInvoice(order);
  await pdfService.waitForCall();
  // The client waits at most half a second before the first retry.
  await vi.advanceTimersByTimeAsync(500);
  await sending;

  expect(pdfService.calls.map(({ fault }) => fault === undefined)).toEqual([false, true]);
  expect(mails).toHaveLength(1);
});

test("a truncated document is not sent", async () => {
  vi.useFakeTimers();
  pdfService.fail(faults.cutOff(), { uid: "reminder" });

  const outcome = sendReminder(order, 14).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  const error = await outcome;

  expect(TruncatedPdfError.is(error)).toBe(true);
  expect(pdfService.calls).toHaveLength(3);
  expect(mails).toEqual([]);
});
