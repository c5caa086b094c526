import { expect, test } from "vitest";
import { visible } from "./bidi";

test("a character that turns the direction is named, everything else stays", () => {
  expect(visible("a\u202egnp.exe\u2066x\u2069")).toBe("a[U+202E]gnp.exe[U+2066]x[U+2069]");
  expect(visible("שלום, né, 🦁\n\t")).toBe("שלום, né, 🦁\n\t");
});
