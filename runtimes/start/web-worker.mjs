// For web workers: receives the settings in a message, and posts the results.
import { runSmoke } from "../smoke/run.mjs";

globalThis.onmessage = async ({ data }) => globalThis.postMessage(await runSmoke(data));
