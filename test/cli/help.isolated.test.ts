import { describe, expect, it, vi } from "vitest";
import manifest from "../../package.json";
import { run } from "../../src/cli/run.ts";
import { FakeTerminal } from "./fake-terminal.ts";

/** What a mock of the client throws: the help and the version have to come without it. */
vi.mock("../../src/index.ts", () => {
  throw new Error("the client was loaded");
});
vi.mock("../../src/emulator/index.ts", () => {
  throw new Error("the emulator was loaded");
});

async function answer(...argv: string[]): Promise<{ code: number; printed: string; told: string }> {
  const terminal = new FakeTerminal();
  const code = await run(argv, terminal);
  return { code, printed: terminal.printed, told: terminal.stderr.text };
}

describe("the help", () => {
  it("lists the commands and the exit codes", async () => {
    const { code, printed, told } = await answer("--help");
    expect({ code, told }).toEqual({ code: 0, told: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf [options] [command]

      Generates PDFs from the templates of the Template PDF Generation Service.

      Options:
        -V, --version                 print the version
        --debug                       print everything that is known of an error
        -h, --help                    print this help

      Commands:
        generate [options] <uid>      Generates one PDF from a template and values,
                                      and saves it: the whole of it or nothing.
        bulk [options] <uid> <data>   Generates a PDF from each row of a file, and
                                      goes on where it was stopped.
        emulate [options] [folder]    Runs the service on this machine: real PDFs from
                                      template files, rendered by pdfmake.
        types [options] <samples...>  Writes TypeScript types of templates, from
                                      samples of their values or from schemas.
        help [command]                print the help of a command

      Exit codes:
        0    done
        1    it was tried and failed: the service, the network, the disk, the time
        2    the command line or its input is wrong, and nothing was sent
        130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
        141  nobody reads the output any more
      "
    `);
  });

  it("of generate tells every option, where the key comes from, and the exit codes", async () => {
    const { code, printed, told } = await answer("generate", "--help");
    expect({ code, told }).toEqual({ code: 0, told: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf generate [options] <uid>

      Generates one PDF from a template and values, and saves it: the whole of it or
      nothing.

      Arguments:
        uid                    the template, as the dashboard names it

      Options:
        --values <file>        JSON file of the values, one object; - reads standard
                               input
        --set <key=value>      set one text, on top of --values; may be repeated
        -o, --output <file>    where to save it; - writes it to standard output
                               (default: <uid>.pdf)
        --open                 open the saved file
        --base-url <url>       where the service lives, such as
                               https://pdf.example.com
        --timeout <duration>   how long the whole call may take: 30s, 500ms, 2m
                               (default: 600s)
        --no-retry             try once, where every render is paid for
        --allow-insecure-http  send the key over http:// to another machine
        --debug                print everything that is known of an error
        -h, --help             print this help

      The key is read from TEMPLATE_PDF_API_KEY, the base URL from TEMPLATE_PDF_BASE_URL:
      in the environment, or else in the file .env of the working directory. A key
      from the environment is sent to a base URL from that file only if the file has
      the same key.

      --set names a member at the top of the values, and its value is always text.
      What is nested, a number, true or false goes into --values.

      Examples:
        template-pdf generate invoice --values invoice.json --set "date=20 November 2026"
        query | template-pdf generate invoice --values - -o - | lpr

      Exit codes:
        0    done
        1    it was tried and failed: the service, the network, the disk, the time
        2    the command line or its input is wrong, and nothing was sent
        130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
        141  nobody reads the output any more
      "
    `);
  });

  it("of bulk tells every option, and what each exit code means", async () => {
    const { code, printed, told } = await answer("bulk", "--help");
    expect({ code, told }).toEqual({ code: 0, told: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf bulk [options] <uid> <data>

      Generates a PDF from each row of a file, and goes on where it was stopped.

      Arguments:
        uid                      the template, as the dashboard names it
        data                     the rows: .csv with a header, .ndjson or .json; -
                                 reads standard input

      Options:
        --out <pattern>          the path of each document, such as
                                 "out/{{invoice_no}}.pdf"
        --schema <file>          check every row by it: a JSON Schema, or a module of
                                 zod and the like
        --format <format>        csv, ndjson or json (default: as the file is named)
        --encoding <label>       of the data, such as windows-1252 (default: UTF-8)
        --delimiter <character>  between the cells of CSV (default: as the header has
                                 it)
        --concurrency <count>    how many documents at once, or auto, which finds it
                                 out (default: auto)
        --per-second <count>     the most requests a second
        --limit <count>          only the first rows, so many
        --stop-after <count>     stop after so many failures
        --dry-run                check everything, list what is wrong, and send
                                 nothing
        --journal <file>         what is finished (default: <uid>.journal in the
                                 folder of --out)
        --fresh                  start over; an old journal is put aside as .old
        --report <file>          write what became of every row to a .json or .csv
                                 file
        --base-url <url>         where the service lives, such as
                                 https://pdf.example.com
        --timeout <duration>     how long one document may take: 30s, 500ms, 2m
                                 (default: 600s)
        --no-retry               try once, where every render is paid for
        --allow-insecure-http    send the key over http:// to another machine
        --debug                  print everything that is known of an error
        -h, --help               print this help

      Every row of the data becomes a document; its columns, or members, are the
      values of the template. All rows are checked before the first document is asked
      for. The path of --out is made of them, too: "out/{{invoice_no}}.pdf".

      A journal notes what is finished: the same command, run again, goes on where it
      was stopped, and makes anew what has changed. Ctrl-C lets what is in hand be
      finished; pressed again, it gives that up.

      The key is read from TEMPLATE_PDF_API_KEY, the base URL from TEMPLATE_PDF_BASE_URL:
      in the environment, or else in the file .env of the working directory. A key
      from the environment is sent to a base URL from that file only if the file has
      the same key.

      Examples:
        template-pdf bulk payslip november.csv --out "payslips/{{employee}}.pdf"
        template-pdf bulk invoice rows.ndjson --out "out/{{no}}.pdf" --dry-run
        query | template-pdf bulk letter - --out "letters/{{id}}.pdf" --report report.csv

      Exit codes:
        0    all documents are made
        1    some failed, and all others are made; or the report could not be written in the
             end
        2    the command line, the data, the journal or a folder is wrong; nothing was sent
        3    stopped before the end: --stop-after, a full disk, a wrong key or uid, or the
             service asks to wait for too long
        130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
        141  nobody reads the output any more
      "
    `);
  });

  it("of emulate tells every option, and the grammar of faults", async () => {
    const { code, printed, told } = await answer("emulate", "--help");
    expect({ code, told }).toEqual({ code: 0, told: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf emulate [options] [folder]

      Runs the service on this machine: real PDFs from template files, rendered by
      pdfmake.

      Arguments:
        folder               the folder of the templates (default: templates)

      Options:
        --port <port>        the port to listen on; 0 takes a free one (default: 4010)
        --host <address>     the address to listen on (default: 127.0.0.1, for this
                             machine only)
        --allow-host <name>  accept requests for this host name; repeatable
        --key <key>          a key that may call; may be repeated (default: a random
                             one)
        --images <folder>    the folder of the pictures that templates may show
        --fonts <folder>     the folder of the fonts that templates may use, beside
                             Roboto
        --fault <rule>       let calls go wrong on purpose; may be repeated
        --latency <delay>    let every call wait, in milliseconds: 500, or a range
                             such as 200..800
        --debug              print everything that is known of an error
        -h, --help           print this help

      A rule of --fault is <what> [retry-after <seconds>] [every <n> | first <n> | <p>%],
      where <what> is a status such as 429, or html, cut, stall or reset.

      Examples:
        template-pdf emulate examples/templates --port 0
        template-pdf emulate --fault "429 retry-after 2 every 10" --latency 200..800

      Exit codes:
        0    stopped by Ctrl-C or SIGTERM
        1    it cannot listen there, pdfmake is not installed, or calls had to be cut off
        2    an option, the folder or a template is wrong
        130  stopped by a second Ctrl-C, before every call was answered
        141  nobody reads the output any more
      "
    `);
  });

  it("of types tells what a file is taken for, and the exit codes of --check", async () => {
    const { code, printed, told } = await answer("types", "--help");
    expect({ code, told }).toEqual({ code: 0, told: "" });
    expect(printed).toMatchInlineSnapshot(`
      "Usage: template-pdf types [options] <samples...>

      Writes TypeScript types of templates, from samples of their values or from
      schemas.

      Arguments:
        samples              files or folders, each alone or as uid=path

      Options:
        -o, --output <file>  where to write them; - writes to standard output
                             (default: pdf-templates.ts)
        --zod                write zod schemas, too, which check values when the
                             program runs
        --check              write nothing; fail where the file is missing or stale
        --force              overwrite a file that this command did not write
        --debug              print everything that is known of an error
        -h, --help           print this help

      The name of a file up to its first dot is the uid: invoice.json and invoice.2.json
      are samples of the template invoice. uid=path names it otherwise. A folder stands
      for the files in it.

      What a file is, its content tells:
        .json            a sample, an array of samples, a JSON Schema, or a template
                         of the emulator, which holds a schema or a sample
        .schema.json     a JSON Schema, whatever it looks like
        .ndjson, .jsonl  a sample on each line; read piece by piece, however long it is
        .mjs, .ts        a template of the emulator, which exports a schema or a sample

      A member is optional where one sample has it and another has not.

      Examples:
        template-pdf types invoice.json credit-note.ndjson
        template-pdf types samples/ templates/ --zod -o src/pdf-templates.ts
        template-pdf types inv.2024=sample.json --check

      Exit codes:
        0    done; with --check: the file is as it should be
        1    with --check: the file is missing or stale; else: it could not be written
        2    the command line, a sample or a schema is wrong; nothing was written
        130  stopped by Ctrl-C (143: by SIGTERM); nothing was written
        141  nobody reads the output any more
      "
    `);
  });

  it("has one text, however it is asked for", async () => {
    const { printed } = await answer("generate", "--help");
    expect(await answer("help", "generate")).toEqual({ code: 0, printed, told: "" });
    expect(await answer("generate", "-h")).toEqual({ code: 0, printed, told: "" });
  });

  it("is printed to standard error, with exit code 2, where no command is given", async () => {
    const { printed } = await answer("--help");
    expect(await answer()).toEqual({ code: 2, printed: "", told: printed });
  });

  it("is as wide as the terminal", async () => {
    const terminal = new FakeTerminal();
    Object.assign(terminal.stdout, { isTTY: true, columns: 200 });
    await run(["generate", "--help"], terminal);
    expect(terminal.printed).toContain(
      "Generates one PDF from a template and values, and saves it: the whole of it or nothing.\n",
    );
  });
});

describe("the version", () => {
  it.each(["--version", "-V"])("is the package's, by %s", async (flag) => {
    expect(await answer(flag)).toEqual({ code: 0, printed: `${manifest.version}\n`, told: "" });
  });
});

it("the help and the version are there at once: neither the client nor the emulator is loaded for them", async () => {
  // Both are mocked to break when they are loaded, and every test above went well.
  await expect(answer("generate", "invoice")).rejects.toThrow();
  await expect(answer("emulate")).rejects.toThrow();
});
