import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fakeService } from "../../src/testing/fake-service.ts";
import { consumer } from "../package/consumer.ts";
import { environmentOfUsers } from "../support/environment-of-users.ts";
import { eventually } from "../support/eventually.ts";
import { readPdf } from "../support/pdf-text.ts";
import { type RunningProgram, startProgram } from "../support/programs.ts";
import { makeTemporaryFolder } from "../support/temporary-folder.ts";

/** What docs/guides/quick-start.md and command-line.md tell a reader to type is typed, with npm, in one empty folder. */

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const { path: folder, remove } = makeTemporaryFolder("quick-start");
const inFolder = (name: string) => join(folder, name);
const textOf = async (name: string) => (await readPdf(readFileSync(inFolder(name)))).text;

/** A block of a guide, and the last file that was named before it. */
interface Block {
  readonly language: string;
  readonly text: string;
  readonly file: string | undefined;
}

function blocksOf(guide: string): Block[] {
  return [...guide.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: text = "", index }) => ({
    language,
    text,
    file: [...guide.slice(0, index).matchAll(/`([\w/-]+\.\w+|\.env)`/g)].at(-1)?.[1],
  }));
}

/** Types something into a shell, and waits until it is done. */
async function type(text: string, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const words = ["-c", text];
  const { stdout } = await promisify(execFile)("bash", words, {
    cwd: folder,
    env: environmentOfUsers(settings),
  });
  return stdout;
}

const exitCodeOf = (typing: Promise<unknown>) =>
  typing.then(
    () => 0,
    ({ code }: { code: number }) => code,
  );

let emulator: RunningProgram | undefined;

afterAll(async () => {
  await emulator?.stop();
  remove();
}, 20_000);

function startEmulating(line: string): Promise<RunningProgram> {
  return startProgram("sh", ["-c", `${line} --port 0`], {
    cwd: folder,
    ready: /^Base URL +http:\/\/127\.0\.0\.1:(\d+)$(?:.|\n)*^Ctrl-C/m,
  });
}

describe("docs/guides/quick-start.md", () => {
  it("leads from an empty folder to a document of the service, and to two of the emulator", async () => {
    const service = fakeService({ templates: ["invoice"], apiKeys: ["your-key"] });
    const listening = await service.listen();
    onTestFinished(() => listening.close());
    const tarball = readdirSync(consumer).find((name) => name.endsWith(".tgz")) ?? "nothing-was-packed";
    for (const { language, text, file = "" } of blocksOf(read("docs/guides/quick-start.md"))) {
      if (language !== "sh") {
        mkdirSync(dirname(inFolder(file)), { recursive: true });
        const address = emulator?.origin ?? listening.baseUrl;
        writeFileSync(
          inFolder(file),
          text.replace(/https:\/\/pdf\.example\.com|http:\/\/127\.0\.0\.1:4010/, address),
        );
        continue;
      }
      for (const line of text.trim().split("\n")) {
        if (line.includes(" emulate ")) emulator = await startEmulating(line);
        else
          await type(
            line.replace(/^npm install(.*) template-pdf$/, `npm install$1 "${join(consumer, tarball)}"`),
          );
      }
    }
    expect(service.calls.map(({ uid, values }) => ({ uid, values }))).toEqual(
      Array(2).fill({ uid: "invoice", values: { date: "20 November 2026", total: "£1,000,000" } }),
    );
    expect(await textOf("letter.pdf")).toContain("Total £640.00");
    expect(await textOf("big-letter.pdf")).toContain("Total £1,000,000");
  }, 120_000);
});

describe("docs/guides/command-line.md", () => {
  const blocks = blocksOf(read("docs/guides/command-line.md"));
  const lines = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));
  const lineOf = (command: string) => lines.filter((line) => line.includes(` ${command} `));
  const scripts = blocks.filter(({ language }) => language === "bash").map(({ text }) => text);
  const scriptWith = (words: string) => scripts.find((text) => text.includes(words)) ?? expect.fail(words);

  beforeAll(() => {
    expect(emulator, "the quick start went well").toBeDefined();
  });

  it("has nothing to type that is not typed here", () => {
    expect(lines).toHaveLength(5);
    expect(scripts).toHaveLength(3);
    const [emulating] = lineOf("emulate");
    expect(read("docs/guides/quick-start.md")).toContain(`\n${emulating}\n`);
    const settings = blocks.find(({ language }) => language === "dotenv")?.text ?? "none";
    expect(read("docs/guides/quick-start.md")).toContain(settings);
  });

  it.each(lineOf("generate"))("%s", async (line) => {
    rmSync(inFolder("letter.pdf"), { force: true });
    await type(line);
    expect(await textOf("letter.pdf")).toContain(
      line.includes("--set") ? "Total £1,000,000" : "Total £640.00",
    );
  });

  it.each(lineOf("types"))("%s", async (line) => {
    await type(line);
    expect(readFileSync(inFolder("pdf-templates.ts"), "utf8")).toContain("letter");
  });

  it.each(lineOf("bulk"))("%s", async (line) => {
    const values = JSON.parse(readFileSync(inFolder("values.json"), "utf8"));
    const rows = ["Ada", "Zoë"].map((name) => JSON.stringify({ ...values, customer: { name } }));
    writeFileSync(inFolder("rows.ndjson"), rows.join("\n"));
    await type(line);
    expect(await textOf("letters/Ada.pdf")).toContain("Dear Ada,");
    expect(await textOf("letters/Zoë.pdf")).toContain("Dear Zoë,");
  });

  it("a pipeline has the exit code of the command within it", async () => {
    const script = scriptWith("pipefail");
    await type(script);
    const { text } = await readPdf(gunzipSync(readFileSync(inFolder("letter.pdf.gz"))));
    expect(text).toContain("Total £640.00");
    expect(await exitCodeOf(type(script.replace("values.json", "no-such-file.json")))).toBe(2);
  });

  it("the loop makes what it can, and stops at what is wrong with the input", async () => {
    const script = scriptWith("for values in");
    const values = readFileSync(inFolder("values.json"));
    for (const name of ["first", "second"]) {
      mkdirSync(inFolder("values"), { recursive: true });
      writeFileSync(inFolder(`values/${name}.json`), values);
    }
    await type(script);
    expect(await textOf("letters/first.pdf")).toContain("Total £640.00");
    expect(await textOf("letters/second.pdf")).toContain("Total £640.00");

    rmSync(inFolder("letters"), { recursive: true });
    // Refused by the service, which is not found out here.
    writeFileSync(inFolder("values/first.json"), "{}");
    expect(await exitCodeOf(type(script))).toBe(1);
    expect(readdirSync(inFolder("letters"))).toEqual(["second.pdf"]);

    writeFileSync(inFolder("values/first.json"), "no JSON");
    rmSync(inFolder("letters/second.pdf"));
    expect(await exitCodeOf(type(script))).toBe(2);
    expect(readdirSync(inFolder("letters"))).toEqual([]);
  });

  it("the script for CI starts an emulator, makes a document, and ends the emulator", async () => {
    rmSync(inFolder("letter.pdf"));
    await type(scriptWith("trap"));
    expect(await textOf("letter.pdf")).toContain("Total £640.00");
    const [, baseUrl = "none"] =
      /^Base URL +(\S+)/m.exec(readFileSync(inFolder("emulator.log"), "utf8")) ?? [];
    const isGone = () =>
      fetch(baseUrl).then(
        () => false,
        () => true,
      );
    await eventually(isGone);
  });
});
