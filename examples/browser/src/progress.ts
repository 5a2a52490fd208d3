import type { Progress } from "template-pdf";
import { element } from "./element.ts";

const bar = element<HTMLProgressElement>("progress");
const status = element("status");

/** Begins to show that something is under way; how long it will take, nobody knows yet. */
export function beginProgress(): void {
  bar.removeAttribute("value");
  say("Setting the invoice. Escape cancels it.");
}

/** Shows how much of the document has come. */
export function showProgress({ receivedBytes, totalBytes }: Progress): void {
  if (totalBytes === undefined) return say(`${kilobytes(receivedBytes)} have come.`);
  const percent = Math.floor((100 * receivedBytes) / totalBytes);
  bar.value = percent;
  // In quarters, because a screen reader says each.
  say(`${Math.floor(percent / 25) * 25} % of ${kilobytes(totalBytes)}`);
}

/** Shows that it did not work, and will be tried again. */
export function showRetry(delayMs: number): void {
  bar.removeAttribute("value");
  const seconds = Math.ceil(delayMs / 1000);
  say(
    `That did not work. Trying again in ${seconds === 1 ? "a second" : `${seconds} seconds`}. Escape cancels it.`,
  );
}

/** Shows that nothing is under way any more. */
export function endProgress(text: string): void {
  bar.value = 0;
  say(text);
}

function say(text: string): void {
  if (status.textContent !== text) status.textContent = text;
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000).toLocaleString("en-GB")} kB`;
}
