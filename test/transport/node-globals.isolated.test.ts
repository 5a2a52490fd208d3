// Nothing here may import undici, whose index installs a global dispatcher. The order of the tests matters.
import { describe, expect, it, onTestFinished } from "vitest";
import type { DispatcherLike } from "../../src/transport/transport.ts";
import { clientOf, sourceOf, startService } from "../support/service.ts";

const legacyKey = Symbol.for("undici.globalDispatcher.1");
const currentKey = Symbol.for("undici.globalDispatcher.2");
/** Node bundles undici, but the type of `versions` does not include it. */
const readsLegacyKey = Number.parseInt(Object(process.versions).undici, 10) < 8;
const globals = globalThis as { [legacyKey]?: DispatcherLike; [currentKey]?: DispatcherLike };

describe("a client", () => {
  it("does not change Node's globals, and does not open a socket before its first call", async () => {
    // Node 24 and later set their own agent there before the first fetch.
    const { [legacyKey]: legacyBefore, [currentKey]: currentBefore } = globals;
    const { fetch } = globalThis;
    const service = await startService();
    const client = clientOf(service.baseUrl);
    expect(client.transport).toBe("undici");
    expect(service.allConnections).toBe(0);
    expect(await sourceOf(client)).toBe("network");
    expect(service.allConnections).toBe(1);
    expect(globals[legacyKey]).toBe(legacyBefore);
    expect(globals[currentKey]).toBe(currentBefore);
    expect(globalThis.fetch).toBe(fetch);
  });

  it("ignores the global agent that Node's own fetch installs", async () => {
    const service = await startService();
    await (await fetch(service.baseUrl, { method: "POST", body: "{}" })).text();
    expect(globals[legacyKey] ?? globals[currentKey]).toBeDefined();
    expect(clientOf(service.baseUrl).transport).toBe("undici");
  });

  // Node 26's fetch reads only the newer global, so an older dispatcher has no effect.
  if (readsLegacyKey) {
    it("uses a global dispatcher from a different undici version via fetch", async () => {
      const service = await startService();
      const nodes = globals[legacyKey];
      if (!nodes) throw new Error("Node's fetch was to leave its agent behind.");
      const seen: unknown[] = [];
      globals[legacyKey] = {
        dispatch(options, handler) {
          seen.push(options.path);
          return nodes.dispatch(options, handler);
        },
      };
      onTestFinished(() => {
        globals[legacyKey] = nodes;
      });
      const client = clientOf(service.baseUrl);
      expect(client.transport).toBe("fetch");
      expect(await sourceOf(client)).toBe("network");
      expect(seen).toEqual(["/api/v1/templates/inv_2024/generate-sync"]);
      globals[legacyKey] = nodes;
      expect(client.transport).toBe("undici");
    });
  }
});
