import { isAbsolute, join, relative } from "node:path";
import { type FolderSink, folder, type Job } from "../../bulk/index.ts";
import { safeFilename } from "../../files/filenames.ts";
import { type AnyTemplate, template } from "../../index.ts";
import { parseDuration } from "../duration.ts";
import { Misuse } from "../failure.ts";
import type { DataFormat } from "./data/row.ts";
import { type ReportFormat, reportFormatOf } from "./report-file.ts";

/** A row of a bulk run. */
export interface RowJob extends Job {
  readonly template: AnyTemplate;
  readonly values: Record<string, unknown>;
  /** The number of the record in the data, from 1. */
  readonly number: number;
  /** The line on which the record begins, from 1. */
  readonly line: number;
}

/** Command-line options for `bulk`. */
export interface BulkFlags {
  readonly out: string;
  readonly schema?: string;
  readonly format?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly trim?: boolean;
  readonly required?: string;
  readonly concurrency?: string;
  readonly perSecond?: string;
  readonly limit?: string;
  readonly stopAfter?: string;
  readonly giveUpAfter?: string;
  readonly dryRun?: boolean;
  readonly skipInvalid?: boolean;
  readonly journal?: string;
  readonly fresh?: boolean;
  readonly report?: string;
  readonly baseUrl?: string;
  readonly timeout?: string;
  readonly retry: boolean;
  readonly allowInsecureHttp?: boolean;
}

/** The parsed command line of `bulk`. */
export interface BulkPlan {
  readonly uid: string;
  /** The template with that uid, without a schema. */
  readonly template: AnyTemplate;
  /** The path of the data, or `-`. */
  readonly file: string;
  readonly format: DataFormat | undefined;
  readonly out: string;
  /** The folder for the documents, as messages show it. */
  readonly folder: string;
  readonly sink: FolderSink<RowJob>;
  readonly journal: string;
  readonly isFresh: boolean;
  readonly report: { readonly path: string; readonly format: ReportFormat } | undefined;
  readonly concurrency: number | "auto";
  readonly perSecond: number | undefined;
  readonly limit: number;
  /** The names of values that must not be empty. */
  readonly required: readonly string[];
  readonly stopAfter: number;
  /** How long the service may be unavailable. */
  readonly giveUpAfterMs: number;
  /** Whether invalid rows are skipped instead of ending the command. */
  readonly skipsInvalid: boolean;
  readonly isRetried: boolean;
  readonly timeoutMs: number;
}

/** Parses the command line of `bulk`. Throws if an option, the uid or the pattern is invalid. */
export function readPlan(uid: string, file: string, flags: BulkFlags): BulkPlan {
  const unchecked = template(uid);
  const { out, report, concurrency = "auto", perSecond, limit, stopAfter } = flags;
  const { giveUpAfter = "15m", timeout = "600s" } = flags;
  const sink = folder<RowJob>(out);
  const place = isAbsolute(out) ? sink.place : relative("", sink.place) || ".";
  const ownJournal = join(place, `${safeFilename(uid) ?? "documents"}.journal`);
  if (flags.journal === "") throw new Misuse("--journal is empty. Give it a path, or leave it out.");
  return {
    ...{ uid, file, out, sink, folder: place },
    template: unchecked,
    journal: flags.journal ?? ownJournal,
    isFresh: flags.fresh ?? false,
    format: flags.format === undefined ? undefined : formatOf(flags.format),
    report: report === undefined ? undefined : { path: report, format: reportFormatOf(report) },
    concurrency: concurrency === "auto" ? "auto" : parseCount(concurrency, "--concurrency", ", or auto"),
    perSecond: perSecond === undefined ? undefined : parseRate(perSecond),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : parseCount(limit, "--limit"),
    required: parseNames(flags.required),
    stopAfter: stopAfter === undefined ? Number.POSITIVE_INFINITY : parseCount(stopAfter, "--stop-after"),
    giveUpAfterMs: parseDuration(giveUpAfter, "--give-up-after"),
    skipsInvalid: flags.skipInvalid ?? false,
    isRetried: flags.retry,
    timeoutMs: parseDuration(timeout, "--timeout"),
  };
}

/** @throws {Misuse} if the text is invalid */
export function formatOf(text: string): DataFormat {
  if (text === "csv" || text === "ndjson" || text === "json") return text;
  throw new Misuse(`--format must be csv, ndjson or json, but got ${JSON.stringify(text)}.`);
}

/**
 * Parses the value of `--required`.
 *
 * @throws {Misuse} if a name is empty
 */
export function parseNames(text: string | undefined): string[] {
  const names = text === undefined ? [] : text.split(",").map((name) => name.trim());
  if (!names.includes("")) return [...new Set(names)];
  throw new Misuse(
    `--required must be names that are separated by commas, such as name,net, but got ${JSON.stringify(text)}.`,
  );
}

/** @throws {Misuse} if the text is invalid */
export function parseCount(text: string, option: string, also = ""): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1 && Number.isSafeInteger(count)) return count;
  throw new Misuse(`${option} must be a whole number, 1 or more${also}, but got ${JSON.stringify(text)}.`);
}

/** @throws {Misuse} if the text is invalid */
export function parseRate(text: string): number {
  const rate = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : 0;
  if (rate > 0 && Number.isFinite(rate)) return rate;
  throw new Misuse(`--per-second must be a number greater than 0, but got ${JSON.stringify(text)}.`);
}
