/** The output methods that return nothing before the document is complete. */
export const wholeForms: readonly string[] = ["bytes()", "buffer()", "arrayBuffer()", "blob()", "saveTo()"];
