import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { runCommand } from "./command.ts";
import { generateSetting } from "./generate-setting.ts";
import { runInProcess } from "./run-in-process.ts";

const pdf = pdfOf(36_789);

describe("generate", () => {
  it("saves the document under its uid, and reports the file and its size", async () => {
    const { service, cwd, env } = await generateSetting(withLength(pdf), "key-of-the-tests");
    const { code, stdout, stderr } = await runCommand(["generate", "invoice"], { cwd, env });
    expect([code, stderr, stdout.toString()]).toEqual([0, "", "invoice.pdf: 36.8 kB\n"]);
    expect(pdf.equals(await readFile(join(cwd, "invoice.pdf")))).toBe(true);
    expect(await readdir(cwd)).toEqual(["invoice.pdf"]);
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]).toMatchObject({
      path: "/api/v1/templates/invoice/generate-sync",
      headers: { authorization: "API-Key key-of-the-tests", "content-type": "application/json" },
      body: "{}",
    });
  });

  it.each([
    [["--", "../2026/März: 1"], "_2026_März_ 1.pdf"],
    [["invoice.pdf"], "invoice.pdf"],
    [["--", "..."], "document.pdf"],
    [["invoice", "-o", "march.pdf"], "march.pdf"],
    [["invoice", "-o", "--version"], "--version"],
  ])("with the arguments %j replaces the existing file %s", async (args, file) => {
    const { service, cwd, env } = await generateSetting();
    await writeFile(join(cwd, file), "an older one");
    const { code, stdout } = await runInProcess(["generate", ...args], { cwd, env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: `${file}: 36.8 kB\n` });
    expect(await readdir(cwd)).toEqual([file]);
    expect(pdf.equals(await readFile(join(cwd, file)))).toBe(true);
    const uid = args.find((arg) => arg !== "--") ?? "";
    expect(service.requests[0]?.path).toBe(`/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`);
  });

  it.each([
    ["-", runCommand],
    ["/dev/stdout", runInProcess],
  ])("writes only the bytes of the document to standard output with -o %s", async (output, run) => {
    const large = pdfOf(3_000_001);
    const { cwd, env } = await generateSetting(withLength(large));
    const { code, stdout, stderr } = await run(["generate", "invoice", "-o", output], { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(large.equals(stdout)).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
  });

  it("sends the values of a file, and overrides them with every --set as a string", async () => {
    const { service, cwd, env } = await generateSetting();
    const values = '\ufeff{"total": 1, "__proto__": "a", "lines": [{"price": 2.5}]}';
    await writeFile(join(cwd, "values.json"), values);
    const sets = ["total=0", "total=1,000", "customer.name=Zoë", "formula=a=b", "note=", "__proto__=b"];
    const args = ["generate", "invoice", "--values", "values.json", ...sets.flatMap((set) => ["--set", set])];
    expect(await runInProcess(args, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(service.requests[0]?.body).toBe(
      '{"total":"1,000","__proto__":"b","lines":[{"price":2.5}],"customer.name":"Zoë","formula":"a=b","note":""}',
    );
  });

  it.each([
    ["-", runCommand],
    ["/dev/stdin", runInProcess],
  ])("sends the values from standard input with --values %s", async (file, run) => {
    const { service, cwd, env } = await generateSetting();
    const input = JSON.stringify({ text: "ü".repeat(200_000) });
    const args = ["generate", "invoice", "--values", file];
    expect(await run(args, { cwd, env, input })).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual(JSON.parse(input));
  });
});

describe("the API key and the base URL", () => {
  interface Sources {
    readonly envFile?: string;
    readonly env?: Record<string, string>;
    readonly flags?: readonly string[];
  }

  async function settingsFrom({ envFile, env = {}, flags = [] }: Sources) {
    const { service, cwd } = await generateSetting();
    const here = (text: string) => text.replaceAll("<service>", service.baseUrl);
    if (envFile !== undefined) await writeFile(join(cwd, ".env"), here(envFile));
    const { code, stderr } = await runInProcess(["generate", "invoice", ...flags.map(here)], {
      cwd,
      env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, here(text)])),
    });
    const [request] = service.requests;
    return { code, stderr, key: request?.headers.authorization, path: request?.path.split("/api/")[0] };
  }

  const urlOnly = "TEMPLATE_PDF_BASE_URL=<service>/file\n";
  const both = `TEMPLATE_PDF_API_KEY=k-file\n${urlOnly}`;
  const key = { TEMPLATE_PDF_API_KEY: "k-env" };
  const url = { TEMPLATE_PDF_BASE_URL: "<service>/env" };
  const flags = ["--base-url", "<service>/flag"];
  const mixed =
    "template-pdf: the API key comes from the file .env in this folder, and the base URL from the environment.\n";

  it.each<[sources: Sources, key: string, path: string, stderr?: string]>([
    [{ envFile: `\ufeff# the service\nTEMPLATE_PDF_API_KEY='k-file'\nexport ${urlOnly}` }, "k-file", "/file"],
    [{ envFile: both, env: { ...key, ...url } }, "k-env", "/env"],
    [{ envFile: both, env: url }, "k-file", "/env", mixed],
    [{ envFile: both, env: { TEMPLATE_PDF_API_KEY: "", ...url } }, "k-file", "/env", mixed],
    [{ envFile: `TEMPLATE_PDF_API_KEY=k-env\n${urlOnly}`, env: key }, "k-env", "/file"],
    [{ envFile: urlOnly, env: key, flags }, "k-env", "/flag"],
    [{ envFile: both, env: url, flags }, "k-file", "/flag"],
  ])("are read from %j as %s and %s", async (sources, apiKey, path, stderr = "") => {
    expect(await settingsFrom(sources)).toEqual({ code: 0, stderr, key: `API-Key ${apiKey}`, path });
  });

  it.each([
    [urlOnly, {}],
    [both, {}],
    [both, { TEMPLATE_PDF_BASE_URL: "" }],
  ])("are refused with a key of the environment and a base URL of .env: %j, %j", async (envFile, empty) => {
    expect(await settingsFrom({ envFile, env: { ...key, ...empty } })).toEqual({
      code: 2,
      stderr:
        "template-pdf: The API key comes from the environment (TEMPLATE_PDF_API_KEY), and the base URL from the file .env in this folder, " +
        "which may not be yours. If you trust that address, export TEMPLATE_PDF_BASE_URL or pass --base-url.\n",
      key: undefined,
      path: undefined,
    });
  });

  it("are the only settings that are read from .env", async () => {
    const proxy = await Service.start(withLength(pdf));
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"];
    const proxies = names.map((name) => `${name}=${proxy.baseUrl}\n`).join("");
    const envFile = `${both}${proxies}NO_PROXY=\nNODE_OPTIONS=--title=x\nNODE_TLS_REJECT_UNAUTHORIZED=0\n`;
    const before = { ...process.env };
    expect(await settingsFrom({ envFile })).toMatchObject({ code: 0, key: "API-Key k-file" });
    expect(proxy.requests).toEqual([]);
    expect({ ...process.env }).toEqual(before);
  });

  it("are not read from .env if the environment contains both", async () => {
    const { service, cwd, env } = await generateSetting();
    // Reading it would fail, because it is a folder.
    await mkdir(join(cwd, ".env"));
    expect(await runInProcess(["generate", "invoice"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(service.requests).toHaveLength(1);
  });
});
