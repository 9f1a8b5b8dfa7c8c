// The picture of a terminal's screen: what the escape sequences say is what is drawn.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pictureOf, runsOf } from "../e2e/svg.js";

const ESC = "\u001b";

describe("a line of a terminal", () => {
  it("is cut where its look changes", () => {
    const line = `a${ESC}[1;38;2;255;0;16mb${ESC}[48;5;196mc${ESC}[0md${ESC}[me${ESC}[94;41;7mf`;
    const looks = runsOf(line).map(({ text, style }) => [
      text,
      style.fg,
      style.bg,
      style.bold,
      style.reverse,
    ]);
    assert.deepEqual(looks, [
      ["a", undefined, undefined, false, false],
      ["b", "#ff0010", undefined, true, false],
      ["c", "#ff0010", "#ff0000", true, false],
      ["d", undefined, undefined, false, false],
      ["e", undefined, undefined, false, false],
      ["f", "#5555ff", "#bb0000", false, true],
    ]);
  });

  it("keeps what is no escape sequence", () => {
    assert.deepEqual(
      runsOf(" ┃ <b> & ").map(({ text }) => text),
      [" ┃ <b> & "],
    );
    assert.deepEqual(runsOf(""), []);
  });
});

describe("a picture", () => {
  it("has each run at its column, and none of the text as markup", () => {
    const picture = pictureOf(`ab${ESC}[38;2;1;2;3m<c>\n${ESC}[48;2;9;9;9m  `, "a & b");
    assert.match(picture, /<title>a &amp; b<\/title>/);
    assert.match(picture, /<text x="12" y="25" textLength="16\.8"[^>]*>ab<\/text>/);
    assert.match(picture, /<text x="28\.8" y="25"[^>]* fill="#010203">&lt;c&gt;<\/text>/);
    assert.match(picture, /<rect x="12" y="30" width="16\.8" height="18" fill="#090909"\/>/);
    assert.equal(picture.match(/<text/g).length, 2);
  });
});
