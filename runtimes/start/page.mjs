// For pages: the browser driver calls these functions.
import { runSmoke } from "../smoke/run.mjs";

globalThis.runSmoke = runSmoke;

globalThis.runSmokeInWorker = (settings) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("/web-worker.js");
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(settings);
  });
