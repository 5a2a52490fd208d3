/** The forms of which nothing is given out before all of it is there. */
export const wholeForms: readonly string[] = ["bytes()", "buffer()", "arrayBuffer()", "blob()", "saveTo()"];
