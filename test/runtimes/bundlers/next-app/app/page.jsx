import { Invoice } from "./invoice.jsx";

/** Rendered while the app is built. */
export default function Page() {
  return <Invoice />;
}
