/**
 * Reads one property of an object from the caller. The property counts if the object has it, or inherits it from a class of the
 * caller's own. What the last object in the chain of prototypes has never counts: this is `Object.prototype`, to which any code in
 * the process may have added properties.
 */
export function ownOption<O extends object, K extends keyof O>(options: O, name: K): O[K] | undefined {
  return isOwn(options, name) ? options[name] : undefined;
}

function isOwn(object: object, name: PropertyKey): boolean {
  if (Object.hasOwn(object, name)) return true;
  const parent = Object.getPrototypeOf(object);
  return name in object && Object.getPrototypeOf(parent) !== null && isOwn(parent, name);
}

/**
 * Copies the options with these names that are set, as `ownOption` reads them, into an object without a prototype. Each option is read once,
 * because a getter may return something else the next time. Only the copy may be used from then on.
 */
export function ownOptions<O extends object>(given: O, names: readonly (keyof O)[]): O {
  const options: O = Object.create(null);
  for (const name of names) {
    const value = ownOption(given, name);
    if (value !== undefined) options[name] = value;
  }
  return options;
}

/**
 * Copies the properties of an object of our own, so that it inherits nothing: what is missing stays missing, also for another
 * package or the runtime that receives the copy.
 */
export function withoutPrototype<O extends object>(parts: O): O {
  return Object.assign(Object.create(null), parts);
}
