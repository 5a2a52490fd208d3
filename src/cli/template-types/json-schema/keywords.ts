/** What only objects, and only arrays, have said of them: where no type is given, these do. */
export const objectKeywords: readonly string[] = [
  ..."properties required additionalProperties patternProperties propertyNames".split(" "),
  ..."minProperties maxProperties dependentRequired unevaluatedProperties".split(" "),
];
export const arrayKeywords: readonly string[] = [
  ..."items prefixItems additionalItems contains minItems maxItems uniqueItems unevaluatedItems".split(" "),
];

/** What leads to another schema of the same value. */
export const references: readonly string[] = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Beside these, `unevaluatedProperties` does not speak of the members that they name. */
export const neighbours: readonly string[] = [
  ...references,
  ..."allOf anyOf oneOf if then else dependentSchemas".split(" "),
];
