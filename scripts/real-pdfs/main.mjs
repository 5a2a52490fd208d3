// @ts-check
// Real PDFs through the public client: how many are accepted, and how many cuts are detected. It takes minutes
// and downloads, so it is no part of `npm run verify`.
// npm run real-pdfs -- [--no-cuts] [folder with more PDFs ...]
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { ask, randomChunkSizes, seededRandom } from "./client.mjs";
import { readPdfs } from "./collection.mjs";
import { Cuts, hasOneEnd } from "./cuts.mjs";
import { producerOf } from "./producer.mjs";
import { askReaders } from "./readers.mjs";
import { collect } from "./sources.mjs";

const args = process.argv.slice(2);
const withCuts = !args.includes("--no-cuts");

console.log("Collecting");
const sources = await collect(args.filter((arg) => arg !== "--no-cuts"));
const folders = new Map(sources.map(({ name, folder }) => [name, folder]));

const bySource = new Map(sources.map(({ name }) => [name, { accepted: 0, tried: 0 }]));
/** @type {Map<string, { accepted: number, tried: number }>} */
const byProducer = new Map();
/** @type {string[]} */
const refusals = [];
const cuts = { one: new Cuts(), several: new Cuts() };
let changed = 0;

for (const { source, path, bytes } of readPdfs(sources)) {
  const random = seededRandom(createHash("sha256").update(bytes).digest().readInt32LE());
  const answer = await ask(bytes, { chunkSize: randomChunkSizes(random, bytes.length) });
  const accepted = "pdf" in answer;
  count(bySource, source, accepted);
  count(byProducer, producerOf(bytes) ?? "(not said in plain bytes)", accepted);
  if ("refusal" in answer) {
    const place = `${source}: ${relative(folders.get(source) ?? "", path)}, ${bytes.length} B`;
    refusals.push(`${answer.refusal.name}: ${place}\n    ${marks(bytes)}; ${askReaders(bytes)}`);
  } else if (!bytes.equals(answer.pdf)) {
    changed++;
    console.log(`CHANGED BYTES: ${path}`);
  } else if (withCuts) await cuts[hasOneEnd(bytes) ? "one" : "several"].try(bytes, random);
}

console.log("\nAccepted / tried, each distinct document once");
for (const [name, { accepted, tried }] of bySource) console.log(`  ${line(accepted, tried)}  ${name}`);
const all = total(bySource);
console.log(`  ${line(all.accepted, all.tried)}  all; with other bytes than were sent: ${changed}`);

const named = [...byProducer].sort(([, one], [, other]) => other.tried - one.tried);
console.log(`\nAccepted / tried by producer: ${byProducer.size} distinct ones, the unnamed counting as one`);
for (const [name, { accepted, tried }] of named) console.log(`  ${line(accepted, tried)}  ${name}`);

console.log(`\nRefused: ${refusals.length}`);
for (const refusal of refusals.sort()) console.log(`  ${refusal}`);

if (withCuts) {
  printCuts("Cut documents with one end mark", cuts.one);
  printCuts("Cut documents with several end marks (linearised, or updated by appending)", cuts.several);
}

const wrongs = {
  "documents came with other bytes": changed,
  "whole documents were refused": sources
    .filter(({ isSound }) => isSound)
    .map(({ name }) => bySource.get(name) ?? { accepted: 0, tried: 0 })
    .reduce((sum, { accepted, tried }) => sum + tried - accepted, 0),
  "cuts were missed although there was one end mark": sum(cuts.one, ({ missed }) => missed),
  "cuts were missed although the length was promised":
    sum(cuts.one, ({ tried, promised }) => tried - promised) +
    sum(cuts.several, ({ tried, promised }) => tried - promised),
};
for (const [wrong, times] of Object.entries(wrongs)) {
  if (times === 0) continue;
  console.log(`\nWRONG: ${times} ${wrong}`);
  process.exitCode = 1;
}

/**
 * @param {Map<string, { accepted: number, tried: number }>} counts
 * @param {string} name
 * @param {boolean} accepted
 */
function count(counts, name, accepted) {
  const entry = counts.get(name) ?? { accepted: 0, tried: 0 };
  counts.set(name, { accepted: entry.accepted + Number(accepted), tried: entry.tried + 1 });
}

/**
 * @param {Cuts} made
 * @param {(tally: import("./cuts.mjs").Tally) => number} figure
 */
function sum(made, figure) {
  return [...made.tallies.values()].reduce((total, tally) => total + figure(tally), 0);
}

/**
 * @param {string} title
 * @param {Cuts} made
 */
function printCuts(title, made) {
  console.log(`\n${title}`);
  console.log("                                without a content-length                            with one");
  console.log(
    "  lost                   tried  detected  only what follows %%EOF             missed  detected",
  );
  for (const [name, { tried, detected, harmless, missed, promised }] of made.tallies) {
    const share = `(${((100 * missed) / Math.max(1, tried)).toFixed(2)} %)`;
    const cells = [
      String(tried).padStart(7),
      String(detected).padStart(9),
      String(harmless).padStart(24),
      String(missed).padStart(7),
      share.padStart(10),
      String(promised).padStart(9),
    ];
    console.log(`  ${name.padEnd(20)} ${cells.join(" ")}`);
  }
}

/**
 * @param {Buffer} bytes
 * @returns {string} where the marks are that the check looks for
 */
function marks(bytes) {
  const header = bytes.indexOf("%PDF-");
  const end = bytes.lastIndexOf("%%EOF");
  return [
    header === -1 ? "no %PDF-" : `%PDF- at ${header}`,
    end === -1 ? "no %%EOF" : `last %%EOF ${bytes.length - end} B before the end`,
  ].join(", ");
}

/** @param {Map<string, { accepted: number, tried: number }>} counts */
function total(counts) {
  const entries = [...counts.values()];
  return {
    accepted: entries.reduce((sum, { accepted }) => sum + accepted, 0),
    tried: entries.reduce((sum, { tried }) => sum + tried, 0),
  };
}

/**
 * @param {number} accepted
 * @param {number} tried
 */
function line(accepted, tried) {
  return `${String(accepted).padStart(6)} / ${String(tried).padEnd(6)}`;
}
