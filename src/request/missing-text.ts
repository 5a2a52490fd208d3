/**
 * Texts that a missing or wrong value becomes when it is converted to a string, and placeholders that were not replaced, such as
 * `${API_KEY}`, `$API_KEY`, `%API_KEY%`, `<API_KEY>` or `{{api_key}}`.
 */
const converted = /^(?:undefined|null|NaN|true|false|\[object \w+\])$/;
const placeholder = /^(?:\$\{\w+\}|\$[A-Z\d]+(?:_[A-Z\d]+)+|%\w+%|<[^<>]*>|\{\{[^{}]*\}\})$/;

/**
 * Describes a setting that no code or variable can have set on purpose, as the end of a sentence; `undefined` for any other text.
 * A placeholder is not quoted, because it may contain the setting itself.
 */
export function missingText(text: string): string | undefined {
  const trimmed = text.trim();
  if (converted.test(trimmed)) {
    return `is the text ${JSON.stringify(trimmed)}, which a missing or wrong value becomes when it is converted to a string`;
  }
  return placeholder.test(trimmed) ? "is a placeholder that was not replaced" : undefined;
}
