import { ConfigurationError, NotFoundError, TemplatePdf, ValuesError } from "template-pdf";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { GeneratedPdf } from "../../src/document/generated-pdf.ts";
import { pdfOf, rejectionOf, Service, saying, turns, withLength } from "../support/service.ts";
import { failureAt, forms, generate, stages } from "./every-form.ts";

const pdf = pdfOf(2_000);

describe("generate()", () => {
  it("sends the request of the spec, though nothing is awaited", async () => {
    const service = await Service.start(withLength(pdf));
    const pending = service.client().generate("inv/2024 ü", { total: "£1,000,000", none: undefined });
    const { path, headers, body } = await service.request();
    expect(path).toBe("/api/v1/templates/inv%2F2024%20%C3%BC/generate-sync");
    expect(headers.authorization).toBe("API-Key key-of-the-tests");
    expect(headers["content-type"]).toBe("application/json");
    expect(body).toBe('{"total":"£1,000,000"}');
    await (await pending).cancel();
  });

  it("sends one request, however many forms are asked for", async () => {
    const service = await Service.start(withLength(pdf));
    const pending = generate(service.client());
    await Promise.allSettled([pending, pending.bytes(), pending.blob(), pending.stream()]);
    expect(service.requests).toHaveLength(1);
  });

  it("writes the values down at once, so that what is changed afterwards does not matter", async () => {
    const service = await Service.start(withLength(pdf));
    const values = { total: "1", lines: [{ price: "2" }] };
    const pending = service.client().generate("inv_2024", values);
    values.total = "changed";
    values.lines.pop();
    await pending.bytes();
    expect((await service.request()).body).toBe('{"total":"1","lines":[{"price":"2"}]}');
  });

  it.each(forms)("rejects %s of the pending result on a 404, before any stream exists", async (_, read) => {
    const service = await Service.start(saying(404));
    const error = await failureAt("the pending result", generate(service.client()), read);
    expect(error).toBeInstanceOf(NotFoundError);
  });

  it("rejects every form and the promise itself with one and the same error", async () => {
    const service = await Service.start(saying(404));
    const pending = generate(service.client());
    const early = [rejectionOf(pending.bytes()), rejectionOf(pending.stream()), rejectionOf(pending)];
    const error = await rejectionOf(pending.blob());
    expect(await Promise.all(early)).toEqual([error, error, error]);
    expect((await Promise.all(early)).every((other) => other === error)).toBe(true);
    expect(await rejectionOf(pending.nodeStream())).toBe(error);
    expect(await rejectionOf(pending)).toBe(error);
  });

  it("takes what somebody's mock of a form gives or throws for that form", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    const mocked = vi.spyOn(GeneratedPdf.prototype, "bytes");
    onTestFinished(() => mocked.mockRestore());
    mocked.mockReturnValueOnce("mocked" as never);
    expect(await generate(client).bytes()).toBe("mocked");
    const failure = new Error("mocked");
    mocked.mockImplementationOnce(() => {
      throw failure;
    });
    expect(await rejectionOf(generate(client).bytes())).toBe(failure);
  });

  it("gives both a form and the document, where both are asked for", async () => {
    const service = await Service.start(withLength(pdf, { "x-request-id": "r-1" }));
    const pending = generate(service.client());
    const bytes = pending.bytes();
    const document = await pending;
    expect(document.requestId).toBe("r-1");
    expect(pdf.equals(await bytes)).toBe(true);
    expect(await rejectionOf(document.blob())).toBeInstanceOf(TypeError);
  });

  it.each(stages)(
    "gives the document to a form that is asked for long after it came, on %s",
    async (stage) => {
      const service = await Service.start(withLength(pdf));
      const pending = generate(service.client());
      const document = await pending;
      await turns(10);
      expect(pdf.equals(await (stage === "the pending result" ? pending : document).bytes())).toBe(true);
    },
  );
});

describe("a pending result", () => {
  it("is a promise", async () => {
    const service = await Service.start(withLength(pdf));
    const pending = generate(service.client());
    expect(pending).toBeInstanceOf(Promise);
    expect(Object.prototype.toString.call(pending)).toBe("[object Promise]");
    const [all, raced, resolved] = await Promise.all([
      Promise.all([pending]).then(([first]) => first),
      Promise.race([pending]),
      Promise.resolve(pending),
    ]);
    expect(all).toBe(raced);
    expect(all).toBe(resolved);
    expect(await pending).toBe(all);
  });

  it("gives plain promises by then, catch and finally", async () => {
    const service = await Service.start(withLength(pdf));
    const pending = generate(service.client());
    const children = [pending.then(), pending.catch(() => {}), pending.finally(() => {})];
    for (const child of children) {
      expect(Object.getPrototypeOf(child)).toBe(Promise.prototype);
      expect(child).not.toHaveProperty("bytes");
    }
    expect((pending.constructor as typeof Promise)[Symbol.species]).toBe(Promise);
    expect(await Promise.all(children)).toHaveLength(3);
  });

  it("loses its forms where an async function returns it", async () => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    const returned = (async () => generate(client))();
    expect(returned).not.toHaveProperty("bytes");
    expect(pdf.equals(await (await returned).bytes())).toBe(true);
  });

  it.each(forms)("gives a promise for %s", async (_, read) => {
    const service = await Service.start(withLength(pdf));
    const given = read(generate(service.client()));
    expect(given).toBeInstanceOf(Promise);
    expect(pdf.equals(await given)).toBe(true);
  });
});

const cycle = {};
Object.assign(cycle, { itself: cycle });
const values = { total: "1" };

/** `generate` with arguments that no compiler would let pass. */
type AnyGenerate = (...given: readonly unknown[]) => PromiseLike<unknown>;

const wrongCalls: readonly (readonly [
  string,
  readonly unknown[],
  typeof ConfigurationError | typeof ValuesError,
])[] = [
  ["an empty uid", ["", values], ConfigurationError],
  ["the uid .", [".", values], ConfigurationError],
  ["the uid ..", ["..", values], ConfigurationError],
  ["a uid with a line break", ["a\nb", values], ConfigurationError],
  ["half a surrogate pair as uid", ["\ud800", values], ConfigurationError],
  ["no uid", [undefined, values], ConfigurationError],
  ["null as uid", [null, values], ConfigurationError],
  ["a number as uid", [5, values], ConfigurationError],
  ["a symbol as uid", [Symbol("uid"), values], ConfigurationError],
  ["an object that is no template", [{}, values], ConfigurationError],
  ["no values", ["uid"], ValuesError],
  ["null as values", ["uid", null], ValuesError],
  ["an array as values", ["uid", []], ValuesError],
  ["a string as values", ["uid", "values"], ValuesError],
  ["NaN among the values", ["uid", { total: Number.NaN }], ValuesError],
  ["a Map among the values", ["uid", { total: new Map() }], ValuesError],
  ["a BigInt among the values", ["uid", { total: 1n }], ValuesError],
  ["values that contain themselves", ["uid", cycle], ValuesError],
  [
    "values whose getter throws",
    [
      "uid",
      {
        get total() {
          throw new Error("no");
        },
      },
    ],
    ValuesError,
  ],
  ["null as options", ["uid", values, null], ConfigurationError],
  ["a string as options", ["uid", values, "signal"], ConfigurationError],
  ["an unknown option", ["uid", values, { sgnal: undefined }], ConfigurationError],
  ["a signal that is none", ["uid", values, { signal: {} }], ConfigurationError],
  ["a header with a line break", ["uid", values, { headers: { a: "b\r\nc: d" } }], ConfigurationError],
  ["headers that are none", ["uid", values, { headers: [1] }], ConfigurationError],
  ["a reserved header", ["uid", values, { headers: { Host: "other" } }], ConfigurationError],
  ["an authorization of its own", ["uid", values, { headers: { Authorization: "x" } }], ConfigurationError],
  ["no bytes allowed", ["uid", values, { maxBytes: 0 }], ConfigurationError],
  ["verify as a string", ["uid", values, { verify: "yes" }], ConfigurationError],
];

describe("generate() never throws, but rejects and sends nothing, for", () => {
  it.each(wrongCalls)("%s", async (_, given, ErrorClass) => {
    const service = await Service.start(withLength(pdf));
    const client = service.client();
    let pending: PromiseLike<unknown> | undefined;
    expect(() => {
      pending = (client.generate.bind(client) as AnyGenerate)(...given);
    }).not.toThrow();
    const error = await rejectionOf(pending as PromiseLike<unknown>);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({ attempts: 0 });
    await client.generate("uid", values).bytes();
    expect(service.requests).toHaveLength(1);
  });

  it("a client that is closed", async () => {
    const service = await Service.start(withLength(pdf));
    const client = new TemplatePdf({ baseUrl: service.baseUrl, apiKey: "k" });
    await client.close();
    expect(await rejectionOf(generate(client))).toBeInstanceOf(ConfigurationError);
    expect(await rejectionOf(generate(client).bytes())).toBeInstanceOf(ConfigurationError);
    expect(service.requests).toHaveLength(0);
  });
});
