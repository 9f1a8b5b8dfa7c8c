// JSON with comments and trailing commas, as opencode's own files may have them.

const STRING = '"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"';
const COMMENT = new RegExp(`(${STRING})|//[^\\n\\r]*|/\\*[\\s\\S]*?\\*/`, "g");
const TRAILING_COMMA = new RegExp(`(${STRING})|(?<![[{,:]\\s*),(?=\\s*[}\\]])`, "g");

/**
 * @param {string} text
 * @returns {any}
 * @throws {SyntaxError} when it is no JSON apart from comments and trailing commas
 */
export function parse(text) {
  const bare = text
    .replace(/^\uFEFF/, "")
    .replace(COMMENT, (_, string) => string ?? " ")
    .replace(TRAILING_COMMA, (_, string) => string ?? "");
  return JSON.parse(bare);
}
