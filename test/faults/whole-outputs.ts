/** The output methods that return nothing before the document is complete. */
export const wholeOutputs: readonly string[] = ["bytes()", "buffer()", "arrayBuffer()", "blob()", "saveTo()"];
