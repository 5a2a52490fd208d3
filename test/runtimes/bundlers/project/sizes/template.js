import { TemplatePdf, template } from "template-pdf";

globalThis.used = [TemplatePdf, template];
