/** Whether every object has something of that name, be it a member of its own or not: `constructor`, `toString`. */
export function isInherited(name: string): boolean {
  return Object.hasOwn(Object.prototype, name);
}
