import type { TemplatePdf } from "../../src/index.ts";
import type { Section, Sentence } from "./sentences.ts";
import type { Service } from "./service.ts";

/** What each proof starts with: a service of its own, and a client of it. */
export interface Ground {
  readonly service: Service;
  readonly pdfs: TemplatePdf;
}

/** One test, and the sentence it proves. */
export interface Proof {
  readonly section: Section;
  readonly sentence: string;
  readonly title: string;
  readonly run: (ground: Ground) => Promise<void>;
}

/** Takes a sentence word by word, what the test shows of it, and the test. */
export type Prove<S extends Section> = (
  sentence: Sentence<S>,
  title: string,
  run: (ground: Ground) => Promise<void>,
) => void;

/** Collects the proofs of one section; `proveSpec` runs them, once for each way that requests may travel. */
export function proofs<S extends Section>(section: S, write: (prove: Prove<S>) => void): readonly Proof[] {
  const written: Proof[] = [];
  write((sentence, title, run) => written.push({ section, sentence, title, run }));
  return written;
}
