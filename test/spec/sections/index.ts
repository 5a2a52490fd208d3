import type { Proof } from "../proof.ts";
import { authentication } from "./authentication.ts";
import { endpoints } from "./endpoints.ts";
import { errors } from "./errors.ts";
import { events } from "./events.ts";
import { interfaceSpecification } from "./interface-specification.ts";
import { limits } from "./limits.ts";
import { resources } from "./resources.ts";
import { states } from "./states.ts";
import { versioning } from "./versioning.ts";
import { whatTheServiceDoes } from "./what-the-service-does.ts";

export const allProofs: readonly Proof[] = [
  ...interfaceSpecification,
  ...whatTheServiceDoes,
  ...resources,
  ...states,
  ...endpoints,
  ...authentication,
  ...events,
  ...errors,
  ...limits,
  ...versioning,
];
