// @ts-check
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * @typedef {object} Reader
 * @property {string} command
 * @property {(path: string) => string[]} args
 * @property {(status: number, output: string) => string} verdict
 */

/** @type {readonly Reader[]} */
const readers = [
  {
    command: "qpdf",
    args: (path) => ["--check", path],
    verdict: (status, output) =>
      ({ 0: "sound", 3: "damaged, repaired" })[status] ??
      (/invalid password/.test(output) ? "wants a password" : "unreadable"),
  },
  {
    command: "pdftotext",
    args: (path) => [path, "-"],
    // It repairs silently but for what it prints.
    verdict: (status, output) =>
      status !== 0
        ? "unreadable"
        : /(?:Syntax|Internal) (?:Error|Warning)/.test(output)
          ? "repaired"
          : "read",
  },
  {
    command: "mutool",
    args: (path) => ["info", path],
    verdict: (status, output) =>
      status !== 0 ? "unreadable" : /^(?:warning|error):/m.test(output) ? "repaired" : "read",
  },
];

/**
 * What the PDF readers of this machine say of a document that was refused.
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function askReaders(bytes) {
  const folder = mkdtempSync(join(tmpdir(), "template-pdf-refused-"));
  try {
    const path = join(folder, "refused.pdf");
    writeFileSync(path, bytes);
    return readers
      .map(({ command, args, verdict }) => {
        const { status, error, stdout, stderr } = spawnSync(command, args(path), {
          encoding: "latin1",
          timeout: 20_000,
          maxBuffer: 64 * 1024 * 1024,
        });
        if (error && "code" in error && error.code === "ENOENT") return `${command}: not here`;
        return `${command}: ${status === null ? "crashed or hung" : verdict(status, stdout + stderr)}`;
      })
      .join("; ");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
