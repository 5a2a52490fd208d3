export { startService as startTlsService } from "../support/service.ts";
