"use client";

import { useState } from "react";
import { AuthenticationError } from "template-pdf";
import { download } from "template-pdf/browser";
import type { Documents } from "@/lib/documents"; // types only: nothing of the server gets into the page

export function InvoiceButton({ number }: { number: string }) {
  const [said, setSaid] = useState("");
  const [isBusy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    setSaid("Making the invoice …");
    try {
      const { TemplatePdf } = await import("template-pdf"); // at the first click: the page loads without it
      const pdfs = new TemplatePdf<Documents>({ baseUrl: "/api/pdf" });
      await download(pdfs.generate("invoice", { number }));
      setSaid("The invoice is saved.");
    } catch (error) {
      const isSignedOut = AuthenticationError.is(error);
      setSaid(isSignedOut ? "Load the page again to sign in." : "That did not work. Try again in a minute.");
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <button type="button" disabled={isBusy} onClick={save}>
        Download
      </button>
      <output>{said}</output>
    </>
  );
}
