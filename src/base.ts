/**
 * What more than one file of `dist` needs, and what that needs. The build writes it as one file, to which the others lead, so that each
 * class exists once and a program loads few files at its start: see `fewFiles` in tsup.config.ts.
 */

export * from "./abort-signals.ts";
export * from "./api-key.ts";
export * from "./caller-stack.ts";
export * from "./chunks.ts";
export * from "./disposal.ts";
export * from "./environment.ts";
export * from "./error-contents.ts";
export * from "./errors.ts";
export * from "./escapes.ts";
export * from "./files/drafting.ts";
export * from "./files/held-file.ts";
export * from "./files/reason-of.ts";
export * from "./files/windows-name.ts";
export * from "./linked-list.ts";
export * from "./loopback.ts";
export * from "./option-rules.ts";
export * from "./ordinary-words.ts";
export * from "./redact.ts";
export * from "./request.ts";
export * from "./retry.ts";
export * from "./safe-filename.ts";
export * from "./secret-key.ts";
export * from "./secret-phrases.ts";
export * from "./standard-schema.ts";
export * from "./supervisor.ts";
export * from "./template.ts";
export * from "./transport/fetch.ts";
export * from "./values.ts";
export * from "./verify.ts";
export * from "./waits.ts";
