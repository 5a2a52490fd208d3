export { clientOf, pdfFrom, sourceOf } from "../support/service.ts";
