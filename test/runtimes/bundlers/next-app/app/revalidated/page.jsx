import { sizeOf } from "../pdfs.js";

export const revalidate = 3600;

export default async function Page() {
  return <p>{await sizeOf("of a page that is kept for an hour")}</p>;
}
