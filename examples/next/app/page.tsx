import { InvoiceButton } from "./invoice-button";

export default function Page() {
  return (
    <main>
      <h1>Invoice 2026-0117</h1>
      <InvoiceButton number="2026-0117" />
    </main>
  );
}
