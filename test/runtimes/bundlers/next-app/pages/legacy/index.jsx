import { sizeOf } from "../../app/pdfs.js";

export async function getServerSideProps() {
  return { props: { size: await sizeOf("of the router for pages") } };
}

export default function Page({ size }) {
  return <p>{size}</p>;
}
