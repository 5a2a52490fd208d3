// @ts-check
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const rows = Array.from({ length: 200 }, (_, index) => `Line ${index + 1} of the invoice, 1,000.00`);
const html = `<!doctype html><meta charset="utf-8"><title>Invoice</title><h1>Invoice</h1>
<a href="https://example.com">A link</a><table>${rows.map((row) => `<tr><td>${row}</td></tr>`).join("")}</table>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><defs><linearGradient id="g">
<stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient></defs>
<rect width="200" height="200" fill="url(#g)"/><text x="20" y="50">Invoice</text></svg>`;
const tex = String.raw`\documentclass{article}\begin{document}\title{Invoice}\maketitle
${rows.join("\n\n")}\end{document}`;
const fo = `<fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set>
<fo:simple-page-master master-name="A4" page-width="210mm" page-height="297mm"><fo:region-body/></fo:simple-page-master>
</fo:layout-master-set><fo:page-sequence master-reference="A4"><fo:flow flow-name="xsl-region-body">
${rows.map((row) => `<fo:block>${row}</fo:block>`).join("\n")}</fo:flow></fo:page-sequence></fo:root>`;
const postscript = `%!PS-Adobe-3.0
/Helvetica findfont 12 scalefont setfont 72 720 moveto (Invoice) show showpage
/Courier findfont 12 scalefont setfont 72 720 moveto (Page two) show showpage
%%EOF
`;
const cairo = `import cairo
for name, version in (("1.4", cairo.PDF_VERSION_1_4), ("1.5", cairo.PDF_VERSION_1_5)):
    surface = cairo.PDFSurface("cairo " + name + ".pdf", 300, 300)
    surface.restrict_to_version(version)
    context = cairo.Context(surface)
    for page in range(20):
        context.move_to(20, 50)
        context.show_text("Page %d" % page)
        surface.show_page()
    surface.finish()
`;
const reportlab = `from reportlab.pdfgen import canvas
for compression in (0, 1):
    c = canvas.Canvas("reportlab %d.pdf" % compression, pageCompression=compression)
    for page in range(20):
        c.drawString(72, 720, "Page %d" % page)
        c.showPage()
    c.save()
`;

const inputs = {
  "in.html": html,
  "in.svg": svg,
  "in.tex": tex,
  "in.fo": fo,
  "in.ps": postscript,
  "in.csv": rows.join("\n"),
  "in.txt": rows.join("\n"),
  "in.ms": `.TL\nInvoice\n.PP\n${rows.join("\n.br\n")}\n`,
  "with-cairo.py": cairo,
  "with-reportlab.py": reportlab,
};

/**
 * Each line is one document, made out of the inputs in the folder where it runs; `OUT` is where it is to go.
 * In the lines of `changers`, `IN` is a document that another program made.
 */
const makers = [
  "soffice --headless --norestore -env:UserInstallation=file://PROFILE --convert-to pdf in.html",
  "soffice --headless --norestore -env:UserInstallation=file://PROFILE --convert-to pdf in.csv",
  "soffice --headless --norestore -env:UserInstallation=file://PROFILE --convert-to pdf in.txt",
  "soffice --headless --norestore -env:UserInstallation=file://PROFILE --convert-to pdf in.svg",
  "chromium --headless --no-sandbox --disable-gpu --user-data-dir=PROFILE --print-to-pdf=OUT in.html",
  "chromium --headless --no-sandbox --disable-gpu --user-data-dir=PROFILE --print-to-pdf=OUT in.svg",
  "rsvg-convert -f pdf -o OUT in.svg",
  "/usr/bin/python3 with-cairo.py",
  "/usr/bin/python3 with-reportlab.py",
  "weasyprint in.html OUT",
  "weasyprint --pdf-variant pdf/a-3b in.html OUT",
  "wkhtmltopdf -q in.html OUT",
  "pdflatex -interaction=batchmode in.tex",
  "fop -fo in.fo -pdf OUT",
  "groff -ms -Tpdf in.ms",
  ...["1.3", "1.4", "1.5", "1.7", "2.0"].map(
    (version) => `gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -dCompatibilityLevel=${version} -o OUT in.ps`,
  ),
  "gs -q -dNOPAUSE -dBATCH -dPDFA=2 -sDEVICE=pdfwrite -o OUT in.ps",
  "gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfimage24 -o OUT in.ps",
];
const changers = [
  "qpdf --linearize IN OUT",
  "qpdf --object-streams=generate IN OUT",
  "qpdf --object-streams=disable --qdf IN OUT",
  "qpdf --linearize --object-streams=generate --encrypt open own 256 -- IN OUT",
  "qpdf --newline-before-endstream --coalesce-contents IN OUT",
  "gs -q -dNOPAUSE -dBATCH -dFastWebView -sDEVICE=pdfwrite -o OUT IN",
  "gs -q -dNOPAUSE -dBATCH -dPDFSETTINGS=/ebook -sDEVICE=pdfwrite -o OUT IN",
  "mutool clean -gggg IN OUT",
  "mutool clean -l IN OUT",
  "pdftocairo -pdf IN OUT",
  "pdfunite IN IN OUT",
];

/**
 * Has the programs of this machine make documents, and change each other's.
 *
 * @param {string} folder
 * @param {readonly string[]} toChange - paths of other documents for the changers
 * @returns {{ missing: string[], failed: string[] }}
 */
export function makeWithPrograms(folder, toChange) {
  rmSync(folder, { recursive: true, force: true });
  const here = mkdtempSync(join(tmpdir(), "template-pdf-programs-"));
  /** @type {Set<string>} */
  const missing = new Set();
  /** @type {string[]} */
  const failed = [];
  try {
    for (const [name, text] of Object.entries(inputs)) writeFileSync(join(here, name), text);
    mkdirSync(folder, { recursive: true });
    for (const [index, line] of makers.entries()) perform(line, `made ${index}`, "");
    const made = readdirSync(folder).map((name) => join(folder, name));
    for (const [index, line] of changers.entries()) {
      for (const path of [...made, ...toChange])
        perform(line, `${basename(path, ".pdf")}, changed ${index}`, path);
    }
  } finally {
    rmSync(here, { recursive: true, force: true });
  }
  return { missing: [...missing], failed };

  /**
   * @param {string} line
   * @param {string} name - of the document
   * @param {string} input
   */
  function perform(line, name, input) {
    const profile = join(here, "profile");
    const [command = "", ...args] = line.split(" ").map((word) => {
      if (word === "OUT") return "out.pdf";
      return word === "IN" ? input : word.replace("=OUT", "=out.pdf").replace("PROFILE", profile);
    });
    if (missing.has(command)) return;
    const { status, error, stdout } = spawnSync(command, args, {
      cwd: here,
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (error && "code" in error && error.code === "ENOENT") missing.add(command);
    if (status === 0 && args.includes("-Tpdf")) writeFileSync(join(here, "out.pdf"), stdout);
    const pdfs = readdirSync(here).filter((file) => file.endsWith(".pdf"));
    for (const file of pdfs) {
      const written = readFileSync(join(here, file));
      // What a program left when it failed is no document.
      if (status === 0 || /^qpdf/.test(line))
        writeFileSync(join(folder, `${name} ${basename(command)} ${file}`), written);
      rmSync(join(here, file));
    }
    if (!missing.has(command) && (pdfs.length === 0 || status !== 0))
      failed.push(`${line.replace("IN", input)}`);
  }
}
