const { execFile } = require("node:child_process");
const { readdirSync } = require("node:fs");
const { join } = require("node:path");
const { fakeService } = require("template-pdf/testing");
const documents = require("./documents.json");
const { temporaryFolder } = require("./temporary-folder.js");

// Each test starts a process, which takes longer than the default of 5 s on a busy machine.
jest.setTimeout(60_000);

// The program runs in another process, so the service listens on a socket.
const service = fakeService({ apiKeys: ["test-key"] });
let server;
beforeAll(async () => {
  server = await service.listen();
});
afterEach(() => service.reset());
afterAll(() => server.close());

function run(folder, apiKey) {
  const args = [join(__dirname, "../src/main.js"), join(__dirname, "documents.json"), folder];
  const env = { ...process.env, TEMPLATE_PDF_BASE_URL: server.baseUrl, TEMPLATE_PDF_API_KEY: apiKey };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? error.code : 0, stdout, stderr });
    });
  });
}

test("the program generates the documents of its list", async () => {
  const folder = temporaryFolder();
  expect(await run(folder, "test-key")).toMatchObject({
    exitCode: 0,
    stdout: `2 documents in ${folder}\n`,
  });
  expect(readdirSync(folder)).toHaveLength(2);
  expect(service.calls.map(({ uid, values }) => [uid, values])).toEqual(
    documents.map(({ template, values }) => [template, values]),
  );
});

test("the program exits with 1 if its key is rejected", async () => {
  const { exitCode, stderr } = await run(temporaryFolder(), "expired-key");
  expect(exitCode).toBe(1);
  expect(stderr).toContain("401");
  expect(service.calls).toEqual([]);
});
