import { TemplatePdf } from "template-pdf";
import { download, objectUrl } from "template-pdf/browser";

globalThis.used = [TemplatePdf, download, objectUrl];
