// Runs many jobs into a folder in a separate process. It prints the result of each job at once as a line of JSON, so that
// everything printed before a kill has happened. Its argument is JSON.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const settings = JSON.parse(process.argv[2]);
const { baseUrl, apiKey, folder: at, count, die, concurrency = 8, isNobody } = settings;

const say = (report) => fs.writeSync(1, `${JSON.stringify(report)}\n`);
const kill = () => process.kill(process.pid, "SIGKILL");

/** Kills this process at a file system call: before, after or in the middle of it. */
function dieAt({ call, when, nth }) {
  let calls = 0;
  const isTime = () => ++calls === nth;
  if (call === "rename") {
    const { rename } = fs;
    fs.rename = (from, to, done) => {
      if (!isTime()) return rename(from, to, done);
      if (when === "before") kill();
      rename(from, to, kill);
    };
    return;
  }
  // The journal is written with its file handle.
  const { open } = fs.promises;
  fs.promises.open = async (path, ...rest) => {
    const handle = await open(path, ...rest);
    if (!String(path).endsWith("run.journal")) return handle;
    const { write, datasync } = handle;
    handle.write = async (bytes, from, length, position) => {
      if (call !== "write" || position === 0 || !isTime())
        return write.call(handle, bytes, from, length, position);
      if (when === "before") kill();
      await write.call(handle, bytes, from, when === "half" ? Math.ceil(length / 2) : length, position);
      kill();
    };
    handle.datasync = async () => {
      if (call !== "datasync" || !isTime()) return datasync.call(handle);
      await datasync.call(handle);
      kill();
    };
    return handle;
  };
}

if (die) dieAt(die);
syncBuiltinESMExports();

const { TemplatePdf } = await import("template-pdf");
const { folder, runBulk } = await import("template-pdf/bulk");

function* jobs() {
  for (let n = 0; n < count; n++) {
    yield { template: "t", values: { n, shelf: n % 3 } };
  }
}

const client = new TemplatePdf({ baseUrl, apiKey, fetch: isNobody ? fetch : undefined });
if (isNobody) process.setuid(65_534);
try {
  const summary = await runBulk({
    client,
    jobs: jobs(),
    sink: folder("out/{{shelf}}/{{n}}.pdf", { root: at }),
    journal: `${at}/run.journal`,
    concurrency,
    onResult: ({ status, key }) => say({ status, key }),
  });
  say({ summary });
} catch ({ name, message }) {
  say({ name, message });
} finally {
  await client.close();
}
