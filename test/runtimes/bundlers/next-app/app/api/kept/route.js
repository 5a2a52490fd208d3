import { documentOf } from "../../pdfs.js";

export const dynamic = "force-dynamic";
export const fetchCache = "force-cache";

export const GET = () => documentOf("of a route that keeps everything");
