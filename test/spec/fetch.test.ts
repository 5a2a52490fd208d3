import { openMockedService } from "./mocked-service.ts";
import { proveSpec } from "./prove-spec.ts";

// By the global `fetch` that MSW puts in place; nothing tells the client of it.
proveSpec("fetch", openMockedService);
