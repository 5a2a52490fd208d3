// Generates two documents with the emulator and the command line: `npm run demo`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
// Finds the package in this clone, or in node_modules of the project.
const manifest = createRequire(import.meta.url).resolve("template-pdf/package.json");
const { bin } = JSON.parse(await readFile(manifest, "utf8"));
const program = join(dirname(manifest), bin["template-pdf"]);

/** Starts `template-pdf` like a shell. Its error messages go to the terminal. */
function templatePdf(args, settings = {}) {
  return spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const emulator = templatePdf(["emulate", "examples/templates", "--fonts", "examples/fonts", "--port", "0"]);
const ended = once(emulator, "exit");
try {
  const printed = await untilReady(emulator);
  const service = {
    TEMPLATE_PDF_BASE_URL: /^Base URL +(\S+)/m.exec(printed)?.[1],
    TEMPLATE_PDF_API_KEY: /^API key +(\S+)/m.exec(printed)?.[1],
  };
  await mkdir(join(root, "demo"), { recursive: true });
  for (const uid of ["invoice", "certificate"]) await generate(uid, service);
  console.log(`
Next, try your own values at http://127.0.0.1:4010/. This command opens it:
node ${relative(process.cwd(), program)} emulate examples/templates --fonts examples/fonts --open`);
} finally {
  emulator.kill("SIGINT");
  await ended;
}

/** Returns what the emulator prints until it is ready. */
async function untilReady({ stdout }) {
  let printed = "";
  for await (const line of createInterface({ input: stdout })) {
    printed += `${line}\n`;
    if (line.startsWith("Ctrl-C")) {
      // Discards the rest of the output, so that the pipe does not fill up.
      stdout.resume();
      return printed;
    }
  }
  throw new Error("The emulator did not start.");
}

async function generate(uid, service) {
  const path = join("demo", `${uid}.pdf`);
  const values = `examples/values/${uid}.json`;
  const generating = templatePdf(["generate", uid, "--values", values, "-o", path], service);
  generating.stdout.resume();
  const [exitCode] = await once(generating, "exit");
  if (exitCode !== 0) throw new Error(`The ${uid} could not be generated.`);

  const bytes = await readFile(join(root, path));
  const reading = getDocument({ data: new Uint8Array(bytes), verbosity: 0 });
  const { numPages } = await reading.promise;
  await reading.destroy();
  const pages = numPages === 1 ? "1 page" : `${numPages} pages`;
  console.log(`${join(root, path)}: ${pages}, ${(bytes.byteLength / 1000).toFixed(1)} kB`);
}
