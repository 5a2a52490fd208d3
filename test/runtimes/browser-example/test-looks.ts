import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { launch } from "../browsers.ts";
import { runtimesFolder } from "../installed.ts";
import type { ScriptedService } from "./scripted-service.ts";
import { answersWithinMs, unlessTheDriverHangs } from "./unless-the-driver-hangs.ts";
import { Visit } from "./visit.ts";

const values = { customer: "Εκδόσεις Αθηνά", amount: "640.00", work: "Two hundred cards" };
const widths = [1440, 320];

/**
 * Makes the tests that the example is for every eye, and for those who hear it: each of its states, light and dark, wide and narrow.
 *
 * @param stage - `address`: where the page is, once it is there
 */
export function testLooks(stage: {
  readonly service: ScriptedService;
  readonly address: () => string;
}): void {
  describe.each([
    { name: "chromium", scheme: "light" },
    { name: "chromium", scheme: "dark" },
    { name: "firefox", scheme: "light" },
    { name: "firefox", scheme: "dark" },
  ] as const)("the example in $name, $scheme", ({ name, scheme }) => {
    it(
      "can be read and used by everybody in each of its states, and nothing moves",
      unlessTheDriverHangs,
      async () => {
        const browser = await launch(name, { scheme, answersWithinMs });
        try {
          stage.service.behave();
          const visit = await Visit.begin(browser, name, scheme, stage.address());
          await visit.page.evaluate(
            readFileSync(join(runtimesFolder, "node_modules/axe-core/axe.min.js"), "utf8"),
          );
          const places: Record<string, unknown> = {};
          const judge = async (state: string) => {
            for (const width of widths) {
              await visit.page.setViewport({ width, height: 900 });
              expect(await violations(visit), `${state}, ${width} px`).toEqual([]);
              expect(
                await visit.see("document.documentElement.scrollWidth - innerWidth"),
                state,
              ).toBeLessThanOrEqual(0);
              const top = await visit.see("Math.round(make.getBoundingClientRect().top + scrollY)");
              expect(top, `where the button is: ${state}, ${width} px`).toBe(places[width] ?? top);
              places[width] = top;
            }
          };

          expect(await visit.see("getComputedStyle(document.body).backgroundColor")).toBe(
            scheme === "light" ? "rgb(231, 225, 211)" : "rgb(18, 22, 28)",
          );
          await judge("empty");

          await visit.tabTo("make");
          await visit.page.keyboard.press("Enter");
          await visit.until(`document.querySelector("[aria-invalid]")`);
          await judge("refused");

          const held = stage.service.holdNext();
          await visit.page.evaluate("customer.focus()");
          await visit.order(values);
          const call = await held;
          await judge("waiting");
          call.sendHalf();
          await visit.until("progress.value === 50");
          await judge("half of it has come");
          call.sendRest();
          await visit.preview();
          await judge("shown");

          stage.service.refuse(429, { "retry-after": "900" });
          await visit.page.evaluate("make.focus()");
          await visit.page.keyboard.press("Enter");
          await visit.until(`document.querySelector("#notice p")`);
          await judge("failed");
        } finally {
          await browser.close();
        }
      },
    );
  });
}

/** What axe finds. Not in the frame: its viewer is the browser's own. */
async function violations(visit: Visit): Promise<unknown> {
  return visit.page.evaluate(`axe.run(document, { iframes: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`);
}
