import { afterAll, beforeAll, describe } from "vitest";
import { testContract } from "./hosts/contract.ts";
import { packagesOfExamples, testExampleProjects } from "./hosts/example-projects.ts";
import { packagesOfGuide, testGuide } from "./hosts/guide-tests.ts";
import { hosts, packagesOfHosts, startOn } from "./hosts/hosts.ts";
import { testTraps } from "./hosts/traps.ts";
import { secrets, startUpstream, type Upstream } from "./hosts/upstream.ts";
import { Workspace } from "./mocks/workspace.ts";
import type { RunningProgram } from "./start-program.ts";

/** The handler, on every server that docs/guides/handler.md shows, by the very snippet that stands there. */

const workspace = new Workspace();
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
  await workspace.install(...packagesOfHosts, ...packagesOfGuide, ...packagesOfExamples);
}, 300_000);

afterAll(async () => {
  await upstream.close();
  workspace.remove();
}, 120_000);

describe.each(hosts)("the handler on $title", (host) => {
  let running: RunningProgram;

  beforeAll(async () => {
    running = await startOn(host, workspace.folder, {
      TEMPLATE_PDF_BASE_URL: upstream.origin,
      TEMPLATE_PDF_API_KEY: secrets.key,
    });
  }, 300_000);

  afterAll(() => running.stop());

  testContract(host, () => ({ host: running, upstream }));
});

describe("a host that was set up another way", () =>
  testTraps(() => ({ packages: workspace.folder, upstream })));

describe("docs/guides/handler.md", () => testGuide(() => ({ packages: workspace.folder, upstream })));

testExampleProjects(() => ({ packages: workspace.folder }));
