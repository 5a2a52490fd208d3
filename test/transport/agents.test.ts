import { Agent } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { OwnAgents } from "../../src/transport/agents.ts";
import { clearProxyVariables } from "../network/proxy.ts";

clearProxyVariables();

const origin = "http://service.test";
const openFor = async (origin: string, agents = new OwnAgents()) => agents.dispatcherFor(origin);

/** Makes the import of a module fail until the test has finished. */
function hide(path: string): void {
  vi.doMock(path, () => Promise.reject(new Error("hidden")));
  onTestFinished(() => void vi.doUnmock(path));
}

it.each(["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"])(
  "A client reads %s once for each origin, and does not use a proxy for localhost",
  async (name) => {
    const agents = new OwnAgents();
    const direct = await openFor(origin, agents);
    expect(direct).toBeInstanceOf(Agent);
    vi.stubEnv(name, "http://127.0.0.1:1");
    for (const one of [origin, "http://localhost"]) expect(await openFor(one, agents)).toBe(direct);
    const proxied = await openFor("https://other.test", agents);
    expect(proxied).not.toBe(direct);
    await agents.close();
    expect({ direct, proxied }).toMatchObject({ direct: { closed: true }, proxied: { closed: true } });
  },
);

it.each(["lib/dispatcher/agent.js", "lib/core/connect.js"])(
  "A client loads undici's index if the client cannot load %s",
  async (file) => {
    hide(`undici/${file}`);
    expect(await openFor(origin)).toBeInstanceOf(Agent);
    hide("undici");
    const message = expect.stringMatching(/^undici could not be loaded \(.+\), and/);
    await expect(openFor(origin)).rejects.toMatchObject({ name: "ConfigurationError", message, cause: {} });
  },
);
