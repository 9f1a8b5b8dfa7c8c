// A value of a configuration, as a line of text for a person.

/** The most characters of a value that are shown. */
const MOST_CHARACTERS = 60;

/** @param {unknown} value */
export function valueText(value) {
  const text = JSON.stringify(value) ?? "";
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
