// @ts-check
// Writes `dist`: both module formats, their types, and the licences of bundled packages. `node scripts/build.mjs code` omits the types.
// Other processes may read `dist` meanwhile, so the build writes to its own folder and renames it at the end.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRunning, waitForOtherBuild } from "./build-lock.mjs";
import { fingerprintOf, isBuilt, stampBuild } from "./build-stamp.mjs";
import { dist } from "./output-folder.mjs";
import { root, run } from "./run-command.mjs";

const parts = process.argv[2] === "code" ? "code" : "code and types";
/** The folder is as deep as `dist`, because source maps contain relative paths. */
const prefix = ".build-";
const folder = join(root, `${prefix}${process.pid}`);

// With an inherited value such as `test`, Vite would write a development build.
Object.assign(process.env, { NODE_ENV: "production", BUILD_OUTPUT_FOLDER: folder });

if ((await waitForOtherBuild()) && isBuilt(parts)) process.exit();
removeOldFolders();
const fingerprint = fingerprintOf();
mkdirSync(folder);
// The compiler takes as long as the rest of the build, and does not depend on it.
const results = await Promise.all([writeCode(), parts === "code" || run("node", ["scripts/emit-types.mjs"])]);
if (!results.every(Boolean)) {
  // Without `dist`, nothing uses an old build by mistake.
  for (const path of [folder, dist]) rmSync(path, { recursive: true, force: true });
  process.exit(1);
}
stampBuild(folder, parts, fingerprint);
replaceDist();

async function writeCode() {
  const isWritten = (await run("tsup", [])) && (await run("vite", ["build", "--logLevel", "warn"]));
  return isWritten && (await run("node", ["scripts/write-licenses.mjs"]));
}

/** Renames instead of copying, so that `dist` is always complete. */
function replaceDist() {
  const old = `${folder}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(folder, dist);
  rmSync(old, { recursive: true, force: true });
}

/** Removes what builds have left behind that were killed. */
function removeOldFolders() {
  for (const name of readdirSync(root).filter((name) => name.startsWith(prefix))) {
    if (isRunning(Number.parseInt(name.slice(prefix.length), 10)) && name !== `${prefix}${process.pid}`)
      continue;
    rmSync(join(root, name), { recursive: true, force: true });
  }
}
