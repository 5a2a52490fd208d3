import { documentOf } from "../../pdfs.js";

export const runtime = "edge";

export const GET = () => documentOf("of the edge");
