import { documentOf } from "../../pdfs.js";

export const revalidate = 3600;

export const GET = () => documentOf("of a route");
