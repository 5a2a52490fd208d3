import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Link, LinkedList } from "../src/call/linked-list.ts";
import { property } from "./support/fuzz.ts";

class Named extends Link {
  readonly name: number;

  constructor(name: number) {
    super();
    this.name = name;
  }
}

const links = () => Array.from({ length: 6 }, (_, name) => new Named(name));

/** What is done to the list, by the index of a link. */
const steps = fc.array(fc.record({ action: fc.constantFrom("add", "delete"), at: fc.nat(5) }), {
  maxLength: 60,
});

/** Whether a link knows that it is listed or not, and its neighbours, which are none where it is not. */
function isWhereItStandsIn(model: readonly Named[], link: Named): boolean {
  const place = model.indexOf(link);
  const [previous, next] = place === -1 ? [] : [model[place - 1], model[place + 1]];
  return link.isListed === (place !== -1) && link.previous === previous && link.next === next;
}

describe("a linked list", () => {
  property("holds what an array would, and keeps nothing of a member that has left", () =>
    fc.property(steps, (actions) => {
      const all = links();
      const list = new LinkedList<Named>();
      const model: Named[] = [];
      return actions.every(({ action, at }) => {
        const link = all[at] as Named;
        const index = model.indexOf(link);
        if (action === "add") {
          list.add(link);
          if (index === -1) model.push(link);
        } else {
          if (list.delete(link) !== (index !== -1)) return false;
          if (index !== -1) model.splice(index, 1);
        }
        // First of all: a list that leads in a circle has no end to its members.
        if (!all.every((one) => isWhereItStandsIn(model, one))) return false;
        const members = list.members();
        return (
          members.length === model.length &&
          members.every((member, place) => member === model[place]) &&
          list.isEmpty === (model.length === 0)
        );
      });
    }),
  );

  it("lets members leave while they are gone through", () => {
    const list = new LinkedList<Named>();
    for (const link of links()) list.add(link);
    for (const link of list.members()) list.delete(link);
    expect(list.isEmpty).toBe(true);
  });
});
