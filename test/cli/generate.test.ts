import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../client/every-form.ts";
import { pdfOf, Service, withLength } from "../support/service.ts";
import { runCommand } from "./command.ts";
import { runHere } from "./command-here.ts";

const pdf = pdfOf(36_789);

/** A service, an empty working directory, and the environment that leads from the one to the other. */
async function setUp(answer = withLength(pdf)) {
  const service = await Service.start(answer);
  const cwd = temporaryFolder();
  const env = { TEMPLATE_PDF_API_KEY: "key-of-the-tests", TEMPLATE_PDF_BASE_URL: service.baseUrl };
  return { service, cwd, env };
}

/** The values that came with the first request. */
function valuesOf(service: Service): unknown {
  return JSON.parse(service.requests[0]?.body ?? "");
}

describe("generate", () => {
  it("saves the document under its uid, and says where and how large", async () => {
    const { service, cwd, env } = await setUp();
    const { code, stdout, stderr } = await runCommand(["generate", "invoice"], { cwd, env });
    expect({ code, stderr, stdout: stdout.toString() }).toEqual({
      code: 0,
      stderr: "",
      stdout: "invoice.pdf: 36.8 kB\n",
    });
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
    ["a uid with a folder in it", "../2026/März: 1", "_2026_März_ 1.pdf"],
    ["a uid that ends in .pdf", "invoice.pdf", "invoice.pdf"],
    ["a uid of which nothing is left", "...", "document.pdf"],
  ])("saves in the working directory, whatever the uid: %s", async (_title, uid, file) => {
    const { service, cwd, env } = await setUp();
    const { code, stdout } = await runHere(["generate", "--", uid], { cwd, env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: `${file}: 36.8 kB\n` });
    expect(await readdir(cwd)).toEqual([file]);
    expect(service.requests[0]?.path).toBe(`/api/v1/templates/${encodeURIComponent(uid)}/generate-sync`);
  });

  it("saves where -o says, over what is there", async () => {
    const { cwd, env } = await setUp();
    const path = join(cwd, "march.pdf");
    await writeFile(path, "an older one");
    const { code, stdout } = await runHere(["generate", "invoice", "-o", path], { cwd, env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: `${path}: 36.8 kB\n` });
    expect(pdf.equals(await readFile(path))).toBe(true);
  });

  it("takes what stands behind an option for its value, whatever it looks like", async () => {
    const { cwd, env } = await setUp();
    const { code, stdout } = await runHere(["generate", "invoice", "-o", "--version"], { cwd, env });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: "--version: 36.8 kB\n" });
    expect(await readdir(cwd)).toEqual(["--version"]);
  });

  it.each(["-", "/dev/stdout"])(
    "writes the document, byte for byte, and nothing else to standard output by -o %s",
    async (output) => {
      const large = pdfOf(3_000_001);
      const { cwd, env } = await setUp(withLength(large));
      const args = ["generate", "invoice", "-o", output];
      const { code, stdout, stderr } = await runCommand(args, { cwd, env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(large.equals(stdout)).toBe(true);
      expect(await readdir(cwd)).toEqual([]);
    },
  );

  it("sends the values of a file, with every --set on top, as text and by its plain name", async () => {
    const { service, cwd, env } = await setUp();
    await writeFile(
      join(cwd, "values.json"),
      '\ufeff{"total": 1, "__proto__": "a", "lines": [{"price": 2.5}]}',
    );
    const sets = ["total=0", "total=1,000", "customer.name=Zoë", "formula=a=b", "note=", "__proto__=b"];
    const args = ["generate", "invoice", "--values", "values.json", ...sets.flatMap((set) => ["--set", set])];
    expect(await runHere(args, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(service.requests[0]?.body).toBe(
      '{"total":"1,000","__proto__":"b","lines":[{"price":2.5}],"customer.name":"Zoë","formula":"a=b","note":""}',
    );
  });

  it.each(["-", "/dev/stdin"])("sends the values from standard input: --values %s", async (file) => {
    const { service, cwd, env } = await setUp();
    const input = JSON.stringify({ text: "ü".repeat(200_000) });
    const args = ["generate", "invoice", "--values", file];
    expect(await runCommand(args, { cwd, env, input })).toMatchObject({ code: 0, stderr: "" });
    expect(valuesOf(service)).toEqual(JSON.parse(input));
  });
});

describe("the key and the base URL", () => {
  async function usedFrom(sources: {
    readonly envFile?: string;
    readonly env?: Record<string, string>;
    readonly flags?: readonly string[];
  }) {
    const { service, cwd } = await setUp();
    const here = (text: string) => text.replaceAll("<service>", service.baseUrl);
    if (sources.envFile !== undefined) await writeFile(join(cwd, ".env"), here(sources.envFile));
    const env = Object.fromEntries(
      Object.entries(sources.env ?? {}).map(([name, text]) => [name, here(text)] as const),
    );
    const flags = (sources.flags ?? []).map(here);
    const { code, stderr } = await runHere(["generate", "invoice", ...flags], { cwd, env });
    const [request] = service.requests;
    return { code, stderr, key: request?.headers.authorization, path: request?.path.split("/api/")[0] };
  }

  it("come from .env in the working directory", async () => {
    const envFile =
      "\ufeff# the service\nTEMPLATE_PDF_API_KEY='k-file'\nexport TEMPLATE_PDF_BASE_URL=<service>/file\n";
    expect(await usedFrom({ envFile })).toEqual({
      code: 0,
      stderr: "",
      key: "API-Key k-file",
      path: "/file",
    });
  });

  it("come from the environment before .env", async () => {
    const envFile = "TEMPLATE_PDF_API_KEY=k-file\nTEMPLATE_PDF_BASE_URL=<service>/file\n";
    const env = { TEMPLATE_PDF_API_KEY: "k-env", TEMPLATE_PDF_BASE_URL: "<service>/env" };
    expect(await usedFrom({ envFile, env })).toMatchObject({ key: "API-Key k-env", path: "/env" });
  });

  it.each([{ TEMPLATE_PDF_API_KEY: "" }, {}])(
    "pairs a key from .env with a base URL from the environment, and says so: %j",
    async (keyOfEnvironment) => {
      const envFile = "TEMPLATE_PDF_API_KEY=k-file\nTEMPLATE_PDF_BASE_URL=<service>/file\n";
      const env = { ...keyOfEnvironment, TEMPLATE_PDF_BASE_URL: "<service>/env" };
      expect(await usedFrom({ envFile, env })).toEqual({
        code: 0,
        stderr:
          "template-pdf: the API key comes from the file .env in this folder, and the base URL from the environment.\n",
        key: "API-Key k-file",
        path: "/env",
      });
    },
  );

  it.each([
    "TEMPLATE_PDF_BASE_URL=<service>/file\n",
    "TEMPLATE_PDF_API_KEY=k-file\nTEMPLATE_PDF_BASE_URL=<service>/file\n",
  ])("refuses a key from the environment with a base URL from .env: %j", async (envFile) => {
    for (const empty of [{}, { TEMPLATE_PDF_BASE_URL: "" }]) {
      const env = { TEMPLATE_PDF_API_KEY: "k-env", ...empty };
      expect(await usedFrom({ envFile, env })).toEqual({
        code: 2,
        stderr:
          "template-pdf: The API key comes from the environment (TEMPLATE_PDF_API_KEY), and the base URL from the file .env in this folder, " +
          "which may belong to somebody else. If you trust that address, export TEMPLATE_PDF_BASE_URL or give --base-url.\n",
        key: undefined,
        path: undefined,
      });
    }
  });

  it("pairs a key from the environment with a base URL from .env if .env holds the same key", async () => {
    const envFile = "TEMPLATE_PDF_API_KEY=k-same\nTEMPLATE_PDF_BASE_URL=<service>/file\n";
    expect(await usedFrom({ envFile, env: { TEMPLATE_PDF_API_KEY: "k-same" } })).toEqual({
      code: 0,
      stderr: "",
      key: "API-Key k-same",
      path: "/file",
    });
  });

  it("pairs --base-url with a key from the environment, whatever .env says", async () => {
    const envFile = "TEMPLATE_PDF_BASE_URL=<service>/file\n";
    const flags = ["--base-url", "<service>/flag"];
    expect(await usedFrom({ envFile, env: { TEMPLATE_PDF_API_KEY: "k-env" }, flags })).toEqual({
      code: 0,
      stderr: "",
      key: "API-Key k-env",
      path: "/flag",
    });
  });

  it("reads nothing but the two names from .env", async () => {
    const proxy = await Service.start(withLength(pdf));
    const others = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map(
      (name) => `${name}=${proxy.baseUrl}`,
    );
    const envFile = [
      "TEMPLATE_PDF_API_KEY=k-file",
      "TEMPLATE_PDF_BASE_URL=<service>/file",
      "NO_PROXY=",
      "NODE_OPTIONS=--title=x",
      "NODE_EXTRA_CA_CERTS=ca.pem",
      "NODE_TLS_REJECT_UNAUTHORIZED=0",
      ...others,
    ].join("\n");
    const before = { ...process.env };
    expect(await usedFrom({ envFile })).toMatchObject({ code: 0, key: "API-Key k-file" });
    expect(proxy.requests).toEqual([]);
    expect({ ...process.env }).toEqual(before);
  });

  it("--base-url wins over both", async () => {
    const envFile = "TEMPLATE_PDF_API_KEY=k-file\nTEMPLATE_PDF_BASE_URL=<service>/file\n";
    const env = { TEMPLATE_PDF_BASE_URL: "<service>/env" };
    const flags = ["--base-url", "<service>/flag"];
    expect(await usedFrom({ envFile, env, flags })).toMatchObject({ key: "API-Key k-file", path: "/flag" });
  });

  it("leave .env alone where the environment has both", async () => {
    const { service, cwd, env } = await setUp();
    // A folder cannot be read as a file.
    await mkdir(join(cwd, ".env"));
    expect(await runHere(["generate", "invoice"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(service.requests).toHaveLength(1);
  });
});
