import { afterAll, beforeAll, describe } from "vitest";
import { Workspace } from "../package/mocks/workspace.ts";
import { testContract } from "./hosts/contract.ts";
import type { RunningHost } from "./hosts/host.ts";
import { hosts, packagesOfHosts, startOn } from "./hosts/hosts.ts";
import { secrets, startUpstream, type Upstream } from "./hosts/upstream.ts";

/** The handler, on every server that docs/handler.md shows, by the very snippet that stands there. */

const workspace = new Workspace();
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
  if (!process.env["WS"]) await workspace.install(...packagesOfHosts);
}, 300_000);

afterAll(async () => {
  await upstream.close();
  workspace.remove();
}, 120_000);

describe.each(hosts)("the handler on $title", (host) => {
  let running: RunningHost;

  beforeAll(async () => {
    running = await startOn(host, process.env["WS"] ?? workspace.folder, {
      TEMPLATE_PDF_BASE_URL: upstream.origin,
      TEMPLATE_PDF_API_KEY: secrets.key,
    });
  }, 300_000);

  afterAll(() => running.stop());

  testContract(host, () => ({ host: running, upstream }));
});
