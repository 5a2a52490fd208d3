import type { Progress } from "template-pdf";
import { element } from "./element.ts";

const bar = element<HTMLProgressElement>("progress");
const status = element("status");

/** Shows a progress bar without a value, because the size is unknown. */
export function beginProgress(): void {
  bar.removeAttribute("value");
  say("Generating the invoice. Press Escape to cancel.");
}

/** Shows how much of the document has arrived. */
export function showProgress({ receivedBytes, totalBytes }: Progress): void {
  if (totalBytes === undefined) return say(`${kilobytes(receivedBytes)} received.`);
  const percent = Math.floor((100 * receivedBytes) / totalBytes);
  bar.value = percent;
  // Announces only quarters, because screen readers read every change.
  say(`${Math.floor(percent / 25) * 25} % of ${kilobytes(totalBytes)}`);
}

/** Shows the delay before a retry. */
export function showRetry(delayMs: number): void {
  bar.removeAttribute("value");
  const seconds = Math.ceil(delayMs / 1000);
  say(
    `The request failed. Retrying in ${seconds === 1 ? "a second" : `${seconds} seconds`}. Press Escape to cancel.`,
  );
}

/** Resets the progress bar. */
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
