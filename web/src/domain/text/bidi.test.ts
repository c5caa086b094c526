import { expect, test } from "vitest";
import { escapeBidi } from "./bidi";

test("escapeBidi names control characters and keeps the rest", () => {
  expect(escapeBidi("a\u202egnp.exe\u2066x\u2069")).toBe("a[U+202E]gnp.exe[U+2066]x[U+2069]");
  expect(escapeBidi("שלום, né, 🦁\n\t")).toBe("שלום, né, 🦁\n\t");
});
