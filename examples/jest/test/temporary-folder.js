const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

/** Makes a folder that lives as long as a test. */
function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  remove.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

const remove = [];
afterEach(() => {
  for (const each of remove.splice(0)) each();
});

module.exports = { temporaryFolder };
