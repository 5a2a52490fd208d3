import { proveSpec } from "./prove-spec.ts";
import { openServedService } from "./served-service.ts";

proveSpec("undici", openServedService);
