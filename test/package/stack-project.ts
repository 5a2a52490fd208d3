import { makeProject } from "./consumer.ts";

/** Prints a stack whose top is called by the client, which is called by the program. */
const program = `
  Error.stackTraceLimit = 30;
  const client = new TemplatePdf({ baseUrl: "https://pdf.example.com", apiKey: "key" });
  let stack;
  const values = { total: { toJSON() { stack ??= new Error("In the client").stack; return 1; } } };
  const pending = client.generate("inv_2024", values);
  pending.cancel();
  pending.catch(() => {});
  console.log(stack);
`;

/** A project with the program in both module formats: `stack.mjs` and `stack.cjs`. */
export const stackProject = makeProject("stack", {
  "stack.mjs": `import { TemplatePdf } from "template-pdf";\n${program}`,
  "stack.cjs": `const { TemplatePdf } = require("template-pdf");\n${program}`,
});
