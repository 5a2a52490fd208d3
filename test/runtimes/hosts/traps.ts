import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { RunningProgram } from "../start-program.ts";
import { type CallInit, call } from "./call.ts";
import { onNode, onWorkers, pdf, type StartableHost, startOn } from "./hosts.ts";
import { secrets, type Upstream } from "./upstream.ts";

const asked: CallInit = {
  headers: { authorization: "Bearer member" },
  body: '{"plays":"document","bytes":2000}',
};

/** Makes the tests of what docs/guides/handler.md warns of, and of what it says in passing. */
export function testTraps(given: () => { packages: string; upstream: Upstream }): void {
  async function start(
    title: string,
    how: StartableHost["start"],
    env: Readonly<Record<string, string>> = {
      TEMPLATE_PDF_BASE_URL: given().upstream.origin,
      TEMPLATE_PDF_API_KEY: secrets.key,
    },
  ): Promise<RunningProgram> {
    const running = await startOn({ title, start: how }, given().packages, env);
    onTestFinished(() => running.stop());
    return running;
  }

  const ask = ({ origin }: RunningProgram, mount = "/api/pdf") =>
    call(`${origin}${mount}/api/v1/templates/document/generate-sync`, asked);

  it("serves at the root of Express", async () => {
    const running = await start("Express at its root", onNode("express.ts", without('"/api/pdf", ')));
    expect((await ask(running, "")).status).toBe(200);
    expect((await ask(running, "/a/b")).status).toBe(200);
  });

  it.each([
    ["Express", "express.ts", followed("const app = express();", "\napp.use(express.json());")],
    ["Fastify", "fastify.ts", without(/^ *scope\.(?:removeAll|add)ContentTypeParser.*\n/gm)],
  ])(
    "tells in the log that %s has read the body before, and answers with 500",
    async (name, file, change) => {
      const running = await start(`${name} that reads bodies`, onNode(file, change));
      const answer = await ask(running);
      expect([answer.status, answer.headers["content-type"]]).toEqual([500, "application/problem+json"]);
      // The log arrives through a pipe of its own, possibly after the answer.
      const advice = "Mount the endpoint before body parsers, such as express.json()";
      await eventually(() => running.printed.includes(advice));
      expect(answer.body.toString()).not.toContain("body parsers");
    },
  );

  it("serves in a Worker without flags, by a client made from `env`", async () => {
    const module = `import { client } from "./client";\n${without("new TemplatePdf()", "client")(pdf)}`;
    const running = await start("Worker without flags", onWorkers([], module), {
      PDF_BASE_URL: given().upstream.origin,
      PDF_API_KEY: secrets.key,
    });
    const coming = given().upstream.nextCall();
    const answer = await ask(running);
    expect([answer.status, answer.headers["content-length"]]).toEqual([200, "2000"]);
    expect((await coming).authorization).toBe(`API-Key ${secrets.key}`);
  });
}

/** Changes code where it is sure to say what is expected. */
function without(part: string | RegExp, instead = "") {
  return (code: string): string => {
    const changed = code.replaceAll(part, instead);
    if (changed === code) throw new Error(`There is no ${part} in:\n${code}`);
    return changed;
  };
}

function followed(part: string, more: string) {
  return without(part, part + more);
}
