// @ts-check
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Manuals that Debian ships as PDFs, by many authors over 25 years; some 230 MB. */
const packages = [
  "bacula-doc",
  "debian-reference-en",
  "gnuplot-doc",
  "harden-doc",
  "libtasn1-doc",
  "lilypond-doc-pdf",
  "maxima-doc",
  "octave-doc",
  "r-doc-pdf",
  "texlive-fonts-recommended-doc",
  "texlive-latex-base-doc",
  "texlive-latex-recommended-doc",
];

/**
 * Unpacks the packages, without installing them. What was unpacked by an earlier run stays.
 *
 * @param {string} folder
 * @returns {string[]} those that could not be had
 */
export function unpackDebianPackages(folder) {
  return packages.filter((name) => {
    const unpacked = join(folder, name);
    if (existsSync(unpacked)) return false;
    const partial = join(folder, `${name}.partial`);
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    if (!succeeds("apt-get", ["download", "-q", name], partial)) return true;
    const archive = readdirSync(partial).find((file) => file.endsWith(".deb"));
    if (!archive || !succeeds("dpkg-deb", ["-x", archive, "."], partial)) return true;
    rmSync(join(partial, archive));
    renameSync(partial, unpacked);
    return false;
  });
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function succeeds(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: "ignore" }).status === 0;
}
