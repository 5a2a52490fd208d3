import { expect, it } from "vitest";
import type { ScriptedService } from "./scripted-service.ts";
import type { Visit } from "./visit.ts";

/** Makes the test that an answer, good or bad, tears nobody out of the field that they are in by then. */
export function testFocus(stage: {
  readonly open: () => Promise<Visit>;
  readonly service: ScriptedService;
}): void {
  it("leaves whoever fills in the next one where they are", async () => {
    const visit = await stage.open();
    const held = stage.service.holdNext();
    await visit.order({ customer: "Zoë", amount: "640.00", work: "Two hundred cards" });
    const call = await held;
    call.sendHalf();
    await visit.page.evaluate("customer.focus()");
    call.sendRest();
    await visit.preview();
    expect(await visit.focused()).toBe("customer");
    stage.service.refuse(500);
    await visit.page.keyboard.press("Enter");
    await visit.until(`document.querySelector("#notice p")`);
    expect(await visit.focused()).toBe("customer");
  });
}
