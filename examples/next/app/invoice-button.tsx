"use client";

import { useEffect, useState } from "react";
import { AuthenticationError } from "template-pdf";
import { download } from "template-pdf/browser";
import type { Documents } from "@/lib/documents"; // imports only types, so no server code reaches the browser

export function InvoiceButton({ number }: { number: string }) {
  const [status, setStatus] = useState("");
  const [running, setRunning] = useState<AbortController>();
  // Cancels the call if the user leaves the page.
  useEffect(() => () => running?.abort(), [running]);

  async function save() {
    const cancelled = new AbortController();
    setRunning(cancelled);
    setStatus("Generating the invoice …");
    try {
      const { TemplatePdf } = await import("template-pdf"); // loads the client on the first click
      const pdfs = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
      await download(pdfs.generate("invoice", { number }, { signal: cancelled.signal }));
      setStatus("The invoice was saved.");
    } catch (error) {
      if (cancelled.signal.aborted) return setStatus("");
      const isSignedOut = AuthenticationError.is(error);
      setStatus(
        isSignedOut
          ? "Reload the page to sign in."
          : "The invoice could not be generated. Try again in a minute.",
      );
    } finally {
      setRunning(undefined);
    }
  }

  return (
    <>
      <button type="button" onClick={running ? () => running.abort() : save}>
        {running ? "Cancel" : "Download"}
      </button>
      <output>{status}</output>
    </>
  );
}
