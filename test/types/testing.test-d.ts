import { setupServer } from "msw/node";
import { TemplatePdf, template } from "template-pdf";
import { type FakeCall, fakeService, faults } from "template-pdf/testing";
import { expectTypeOf } from "vitest";
import * as z from "zod";

interface Invoice {
  total: string;
  lines: { text: string }[];
}
interface Templates {
  inv: Invoice;
  cert: { name: string };
}

// With a list of templates, calls have the output of their schemas as JSON, discriminated by `uid`.
const invoice = template("inv_2024", z.object({ total: z.number().transform(String), at: z.date() }));
const listed = fakeService({ templates: [invoice, template<Invoice, "typed">("typed"), "bare"] });
const [call] = listed.calls;
if (call?.uid === "inv_2024") expectTypeOf(call.values).toEqualTypeOf<{ total: string; at: string }>();
if (call?.uid === "typed") expectTypeOf(call.values.lines).toEqualTypeOf<{ text: string }[]>();
if (call?.uid === "bare") expectTypeOf(call.values).toEqualTypeOf<Record<string, unknown>>();
// @ts-expect-error: this template does not exist
call?.uid === "inv_2025";

// With a map, calls have its values.
const mapped = fakeService<Templates>({ templates: ["inv", "cert"], apiKeys: ["k"] });
expectTypeOf(mapped.waitForCall(2)).resolves.toEqualTypeOf<
  FakeCall<"inv", Invoice> | FakeCall<"cert", { name: string }>
>();

// Without both, calls can have any uid and values.
const plain = fakeService();
expectTypeOf(plain.calls).toEqualTypeOf<readonly FakeCall<string, Record<string, unknown>>[]>();
fakeService({ templates: [template(String(call?.uid))] }).calls[0]?.values["anything"];

// A variable for any fake service.
let anyService: ReturnType<typeof fakeService>;
anyService = plain;
anyService = mapped;
anyService = listed;
anyService.calls[0]?.values satisfies object | undefined;
anyService.fail(faults.reset(), { uid: "inv" });

// Its properties are assignable to the options that use them.
new TemplatePdf<Templates>({ baseUrl: mapped.baseUrl, apiKey: mapped.apiKey, fetch: mapped.fetch });
setupServer(...mapped.handlers);
mapped.fetch satisfies typeof globalThis.fetch;

mapped.fail(faults.slow({ pieces: 2, everyMs: 1 }), { uid: "inv", times: 1 }).fail(faults.reset());
// @ts-expect-error: this template does not exist
mapped.fail(faults.reset(), { uid: "invoice" });
