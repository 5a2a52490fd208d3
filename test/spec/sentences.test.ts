import { expect, it } from "vitest";
import { allProofs } from "./sections/index.ts";
import { sentences } from "./sentences.ts";

const quoted = Object.entries(sentences).flatMap(([section, list]) =>
  list.map((sentence) => `${section}: ${sentence}`),
);
const proved = allProofs.map(({ section, sentence }) => `${section}: ${sentence}`);

it("has a proof for every sentence of the specification", () => {
  expect(quoted.filter((sentence) => !proved.includes(sentence))).toEqual([]);
});

it("proves nothing that is no sentence of the specification", () => {
  expect(proved.filter((sentence) => !quoted.includes(sentence))).toEqual([]);
});

it("quotes each sentence once, and names each proof of it apart", () => {
  const titles = allProofs.map(({ section, sentence, title }) => `${section}: ${sentence}: ${title}`);
  expect(new Set(quoted).size).toBe(quoted.length);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});
