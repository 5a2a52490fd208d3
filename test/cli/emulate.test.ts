import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { TemplatePdf, type TemplatePdfError } from "template-pdf";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { readPdf } from "../support/pdf-text.ts";
import { hasPosixShell, hasSignals } from "../support/platform.ts";
import { rejectionOf } from "../support/service.ts";
import { endingOf, main, runCommand, start } from "./command.ts";
import { emulate, files } from "./emulation.ts";

const aCall = /^\d\d:\d\d:\d\d {2}(.*) {2}\d+(?:\.\d)? m?s( {2}.*)?$/;

describe("emulate", () => {
  it.runIf(hasSignals)("says where it is, what lets in, and which templates there are", async () => {
    const { folder, introduction, emulation } = await emulate(["--key", "key-of-mine", "--key", "another"]);
    expect(introduction.slice(0, 6)).toEqual([
      expect.stringMatching(/^Base URL {3}http:\/\/127\.0\.0\.1:\d+$/),
      "API key    key-of-mine",
      "Templates",
      `  any       ${join(folder, "any.mjs")}`,
      `  greeting  ${join(folder, "greeting.json")}`,
      `  invoice   ${join(folder, "invoice.json")}`,
    ]);
    emulation.child.kill("SIGINT");
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("serves templates with every key, and tells each call on one line", async () => {
    const { baseUrl, emulation } = await emulate(["--key", "key-of-mine", "--key", "another"]);
    for (const apiKey of ["key-of-mine", "another"]) {
      const pdfs = new TemplatePdf({ baseUrl, apiKey });
      const { text } = await readPdf(await pdfs.generate("greeting", { name: apiKey }).bytes());
      expect(text).toContain(`Hello ${apiKey}`);
      expect(await emulation.line()).toMatch(/^\d\d:\d\d:\d\d {2}POST {2}greeting {2}200 {2}\d+\.\d kB {2}/);
    }
    await rejectionOf(new TemplatePdf({ baseUrl, apiKey: "wrong" }).generate("greeting", {}));
    const refused = await emulation.line();
    expect(refused).toMatch(/ {2}POST {2}greeting {2}401 {2}- {2}.* {2}The API key is not valid here\./);
    expect(refused).not.toContain("x-request-id");
    await fetch(`${baseUrl}/elsewhere?a=b`);
    expect(await emulation.line()).toMatch(/ {2}GET {2}\/elsewhere {2}404 {2}- {2}/);
  });

  it("answers to every name of --allow-host, and reports a call by another name", async () => {
    const { baseUrl, apiKey, emulation } = await emulate([
      "--allow-host",
      "a.test",
      "--allow-host",
      "b.test",
    ]);
    const { port } = new URL(baseUrl);
    const headers = { authorization: `API-Key ${apiKey}`, "content-type": "application/json" };
    for (const [host, outcome] of [
      ["a.test", / {2}POST {2}any {2}200 {2}/],
      ["b.test", / {2}POST {2}any {2}200 {2}/],
      ["c.test", / {2}POST {2}any {2}421 {2}.*"c\.test".* --allow-host\./],
    ] as const) {
      const path = "/api/v1/templates/any/generate-sync";
      const asking = request({ port, path, method: "POST", headers: { ...headers, host } }, (answer) =>
        answer.resume(),
      );
      const answered = once(asking, "close");
      asking.end("{}");
      expect(await emulation.line()).toMatch(outcome);
      // The log comes first, and the end of this test ends the emulator.
      await answered;
    }
  });

  it("sends nothing to the terminal that it would obey", async () => {
    const { baseUrl, emulation } = await emulate();
    await fetch(`${baseUrl}/api/v1/templates/%1b%5b31mred%e2%80%ae/generate-sync`, { method: "POST" });
    const line = await emulation.line();
    expect(line).toMatch(aCall);
    expect(line).toContain("  404  ");
    expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });

  it.runIf(hasSignals)(
    "tells what a template throws in one line of standard error, its stack with --debug only",
    async () => {
      for (const flags of [[], ["--debug"]]) {
        const { baseUrl, apiKey, emulation } = await emulate(flags);
        const failure = await rejectionOf(
          new TemplatePdf({ baseUrl, apiKey, retry: false }).generate("any", { explode: true }),
        );
        const { requestId } = failure as TemplatePdfError;
        const told = `  x-request-id ${requestId ?? expect.fail("no request id")}`;
        const call = await emulation.line();
        expect(call).toMatch(/ {2}any {2}500 {2}- {2}/);
        expect(call.endsWith(told), call).toBe(true);
        emulation.child.kill("SIGINT");
        const { stderr } = await emulation.ended;
        const [first = "", ...rest] = stderr.trimEnd().split("\n");
        expect(first).toMatch(/^\d\d:\d\d:\d\d {2}\S*any\.mjs:1:\d+: .*two lines/);
        expect(first.endsWith(told), first).toBe(true);
        expect(rest.some((line) => /^ +at /.test(line))).toBe(flags.length > 0);
        if (flags.length === 0) expect(rest).toEqual([]);
      }
    },
  );

  it("plays faults, and takes its time", async () => {
    const faults = ["503 first 1", "reset first 2", "cut first 3"].flatMap((rule) => ["--fault", rule]);
    const flags = [...faults, "--latency", "1..2"];
    const { baseUrl, apiKey, emulation } = await emulate(flags);
    const pdfs = new TemplatePdf({ baseUrl, apiKey, retry: false });
    const refusal = await rejectionOf(pdfs.generate("greeting", { name: "a" }));
    expect(refusal).toMatchObject({ status: 503, requestId: expect.stringMatching(/./) });
    const line = await emulation.line();
    expect(line).toMatch(/ {2}greeting {2}503 {2}- {2}.* {2}fault: 503 {2}x-request-id \S+$/);
    expect(line.endsWith(String((refusal as TemplatePdfError).requestId))).toBe(true);
    expect(await rejectionOf(pdfs.generate("greeting", { name: "a" }))).toMatchObject({
      code: "connection_failed",
    });
    expect(await emulation.line()).toMatch(/ {2}greeting {2}no answer {2}- {2}.* {2}fault: reset$/);
    // Half of it was sent: its whole size would be no fact.
    expect(await rejectionOf(pdfs.generate("greeting", { name: "a" }).bytes())).toMatchObject({
      code: "truncated_pdf",
    });
    expect(await emulation.line()).toMatch(/ {2}greeting {2}200 {2}- {2}.* {2}fault: cut$/);
    expect(await pdfs.generate("greeting", { name: "a" })).toMatchObject({ status: 200 });
  });

  it("takes the folder templates where none is named", async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await runCommand(["emulate"], { cwd });
    expect(stderr).toMatch(/^template-pdf: The template folder .*templates does not exist\..*\n$/);
    expect(code).toBe(2);
  });
});

describe("the lines that emulate prints to be pasted", () => {
  it.runIf(hasPosixShell)(
    "are for the template with the least to type, and POSIX shells read the one for curl as it is meant",
    async () => {
      const { folder, introduction, baseUrl, apiKey } = await emulate();
      const line = introduction.find((each) => each.startsWith("curl ")) ?? "";
      const print = start("sh", ["-c", `printf '%s\\n' ${line.slice("curl ".length)}`], { cwd: folder });
      const words = (await endingOf(print)).stdout.toString().trimEnd().split("\n");
      expect(words).toEqual([
        "-sS",
        "--fail-with-body",
        "-o",
        "greeting.pdf",
        "-H",
        `Authorization: API-Key ${apiKey}`,
        "-H",
        "Content-Type: application/json",
        "-d",
        String.raw`{"name":"it's\u202e you!"}`,
        `${baseUrl}/api/v1/templates/greeting/generate-sync`,
      ]);
      const [, , , , , authorization = "", , , , body = "", url = ""] = words;
      const headers = {
        authorization: authorization.replace(/^.*?: /, ""),
        "content-type": "application/json",
      };
      const response = await fetch(url, { method: "POST", headers, body });
      expect(response.status).toBe(200);
    },
  );

  it("work: the one for JavaScript generates that template's document", async () => {
    const { "invoice.json": invoice } = files;
    const { folder, introduction } = await emulate([], { "invoice.json": invoice });
    const line = introduction.find((each) => each.startsWith("await ")) ?? "";
    const client = join(main, "../../index.js");
    await writeFile(
      join(folder, "paste.mjs"),
      `import { TemplatePdf } from ${JSON.stringify(client)};\n${line}\n`,
    );
    expect(await endingOf(start(process.execPath, ["paste.mjs"], { cwd: folder }))).toMatchObject({
      code: 0,
      stderr: "",
    });
    const { text } = await readPdf(await readFile(join(folder, "invoice.pdf")));
    expect(text).toContain(`O'Neil & "Söhne" $HOME \`id\``);
    expect(text).toContain("Total £1,000");
    expect(introduction.join("")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

describe("Ctrl-C", () => {
  it.runIf(hasSignals)("stops emulate with exit code 0, as SIGTERM does", async () => {
    const { emulation, baseUrl } = await emulate();
    emulation.child.kill("SIGTERM");
    expect(await emulation.line()).toBe("stopping");
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
    await expect(fetch(baseUrl)).rejects.toThrow();
  });

  it.runIf(hasSignals)("lets emulate finish the documents that it has begun", async () => {
    const slow = `
      import { existsSync, writeFileSync } from "node:fs";
      const here = (name) => new URL(name, import.meta.url);
      export default async () => {
        writeFileSync(here("begun"), "");
        while (!existsSync(here("go"))) await new Promise((resolve) => setTimeout(resolve, 10));
        return { content: ["slow"] };
      };`;
    const { folder, emulation, baseUrl, apiKey } = await emulate([], { "slow.mjs": slow });
    const document = new TemplatePdf({ baseUrl, apiKey }).generate("slow", {}).bytes();
    while (!existsSync(join(folder, "begun"))) await new Promise((resolve) => setTimeout(resolve, 10));
    emulation.child.kill("SIGINT");
    expect(await emulation.line()).toBe("stopping");
    await writeFile(join(folder, "go"), "");
    expect((await readPdf(await document)).text).toContain("slow");
    expect(await emulation.line()).toMatch(/ {2}slow {2}200 {2}/);
    expect(await emulation.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("ends emulate without a word where nobody reads its lines any more", async () => {
    const { emulation, baseUrl } = await emulate();
    emulation.child.stdout.destroy();
    const exited = new Promise((resolve) => emulation.child.once("exit", resolve));
    await fetch(`${baseUrl}/elsewhere`).catch(() => {});
    expect(await exited).toBe(141);
  });
});
