import { TemplatePdf } from "template-pdf";

globalThis.used = TemplatePdf;
