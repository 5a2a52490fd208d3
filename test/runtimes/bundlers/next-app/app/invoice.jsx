"use client";

import { useState } from "react";
import { ApiError, TemplatePdf } from "template-pdf";
import { objectUrl } from "template-pdf/browser";

const pdfs = new TemplatePdf({ baseUrl: "/api/pdf" });

export function Invoice() {
  const [said, setSaid] = useState("");
  const [told, setTold] = useState(0);

  async function generate(name) {
    const onProgress = ({ receivedBytes }) => setTold(receivedBytes);
    try {
      const preview = await objectUrl(pdfs.generate(name, { total: "of the page" }, { onProgress }));
      setSaid(`a document at ${preview.url}`);
    } catch (error) {
      setSaid(error instanceof ApiError ? `status ${error.status}` : String(error));
    }
  }

  return (
    <div>
      <button id="invoice" type="button" onClick={() => generate("invoice")}>
        Generate
      </button>
      <button id="nothing" type="button" onClick={() => generate("nothing")}>
        Generate nothing
      </button>
      <output>
        {said}, {told} bytes told
      </output>
    </div>
  );
}
