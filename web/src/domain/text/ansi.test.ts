import { expect, test } from "vitest";
import { parseAnsi } from "./ansi";

const ESC = "\u001b";
const words = (source: string) => parseAnsi(source).map((piece) => piece.text);

test("parseAnsi keeps colours until their reset", () => {
  expect(parseAnsi(`a${ESC}[1;31mb${ESC}[0mc`)).toEqual([
    { text: "a", colour: undefined, bold: false, dim: false },
    { text: "b", colour: 1, bold: true, dim: false },
    { text: "c", colour: undefined, bold: false, dim: false },
  ]);
  expect(parseAnsi(`${ESC}[38;5;196mx`)[0]?.colour).toBeUndefined();
  expect(parseAnsi(`${ESC}[38;2;1;2;3;32mx`)[0]?.colour).toBe(2);
});

test("parseAnsi drops other control sequences", () => {
  expect(words(`${ESC}[2J${ESC}[Hshown${ESC}]0;title\u0007\u0007\u0000${ESC}c!`).join("")).toBe("shown!");
  expect(words("line\n\ttab\r").join("")).toBe("line\n\ttab");
});

test("parseAnsi is linear in the number of escapes", () => {
  expect(words(`${ESC}[31mx`.repeat(100_000)).length).toBe(100_000);
  expect(words(`${ESC}[`.repeat(100_000)).join("").length).toBeLessThan(200_001);
});
