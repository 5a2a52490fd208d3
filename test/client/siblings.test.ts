import { ConfigurationError, type TimeoutError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { rejectionOf, Service, saying } from "../support/service.ts";
import { generate } from "./every-form.ts";

describe("the waits of a sibling", () => {
  it("are laid over those of its client, member by member", async () => {
    const service = await Service.start(() => {});
    const client = service.client({ timeouts: { firstByte: 100, total: 30_000 } });
    const sibling = client.with({ timeouts: { stall: 5_000, firstByte: undefined } });
    const error = (await rejectionOf(generate(sibling).bytes())) as TimeoutError;
    expect(error).toMatchObject({ phase: "firstByte", limitMs: 100 });
  });

  it.each([
    ["never tries again where its client does not", false, { mayRenderTwice: true }, 1],
    ["tries as often as its client", { limit: 1 }, { mayRenderTwice: true }, 2],
    ["tries as often as it is told", { limit: 1 }, { limit: 3 }, 4],
    ["never tries again where it is told so", { limit: 1 }, false, 1],
  ] as const)("%s", async (_, ofClient, ofSibling, expected) => {
    const service = await Service.start(saying(503, "", { "retry-after": "0" }));
    const sibling = service.client({ retry: ofClient }).with({ retry: ofSibling });
    await rejectionOf(generate(sibling).bytes());
    expect(service.requests).toHaveLength(expected);
  });

  it.each([
    ["timeouts", null],
    ["timeouts", 5_000],
    ["timeouts", { stal: 5 }],
    ["retry", null],
    ["retry", 3],
    ["retry", true],
  ])("are refused where `%s` is %j", async (name, value) => {
    const service = await Service.start(() => {});
    const client = service.client({ timeouts: { stall: 100 }, retry: { limit: 1 } });
    expect(() => client.with({ [name]: value })).toThrow(ConfigurationError);
  });
});
