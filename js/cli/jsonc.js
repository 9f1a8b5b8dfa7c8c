// JSON with comments and trailing commas, as opencode's own files may have them.

const STRING = '"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"';
const COMMENT = new RegExp(`(${STRING})|//[^\\n\\r]*|/\\*[\\s\\S]*?\\*/`, "g");
const TRAILING_COMMA = new RegExp(`(${STRING})|(?<![[{,:]\\s*),(?=\\s*[}\\]])`, "g");

/**
 * @param {string} text
 * @returns {any}
 * @throws {SyntaxError} when it is no JSON apart from comments and trailing commas; it names the line and the column, where
 * the runtime tells the place
 */
export function parse(text) {
  // What is taken out leaves blanks, so that every place stays where it is.
  const bare = text
    .replace(/^\uFEFF/, "")
    .replace(COMMENT, (comment, string) => string ?? comment.replace(/[^\n\r]/g, " "))
    .replace(TRAILING_COMMA, (_, string) => string ?? " ");
  try {
    return JSON.parse(bare);
  } catch (error) {
    throw new SyntaxError(located(/** @type {Error} */ (error).message, bare));
  }
}

/**
 * @param {string} message of `JSON.parse`
 * @param {string} text
 */
function located(message, text) {
  const isAtEnd = /end of (JSON )?input|EOF/.test(message);
  const position = isAtEnd ? text.length : /at position (\d+)/.exec(message)?.[1];
  if (position === undefined || message.includes("(line ")) return message;
  const before = text.slice(0, Number(position)).split("\n");
  return `${message} (line ${before.length} column ${(before.at(-1) ?? "").length + 1})`;
}
