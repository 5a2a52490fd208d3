import { sizeOf } from "../pdfs.js";

/** Says nothing of when it is to be rendered: Next.js tries it while it builds. */
export default async function Page() {
  return <p>{await sizeOf("of a page")}</p>;
}
