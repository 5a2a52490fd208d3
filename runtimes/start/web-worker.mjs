// A web worker of a page: the settings come in a message, and so do the results leave.
import { runSmoke } from "../smoke/run.mjs";

globalThis.onmessage = async ({ data }) => globalThis.postMessage(await runSmoke(data));
