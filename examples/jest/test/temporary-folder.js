const { mkdtempSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

/** Creates a folder that is removed after the test. */
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
