import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";

export const agent = new MockAgent();
const isGlobal = process.env.GLOBAL_AGENT === "yes";
const realDispatcher = getGlobalDispatcher();

export function start() {
  agent.disableNetConnect();
  if (isGlobal) setGlobalDispatcher(agent);
}

export async function stop() {
  if (isGlobal) setGlobalDispatcher(realDispatcher);
  await agent.close();
}

export function answer(url, status, headers, body) {
  const { origin, pathname: path } = new URL(url);
  agent.get(origin).intercept({ path, method: "POST" }).reply(status, body, { headers });
}
