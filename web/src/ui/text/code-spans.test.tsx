import { expect, test } from "vitest";
import { renderApp } from "@/testing/render";
import { CodeSpans } from "./code-spans";

test("CodeSpans renders commands as code and a single backtick as text", () => {
  const { container } = renderApp(<CodeSpans text="Run `li show ls` or `li show resume calc`, not ` this" />);
  expect([...container.querySelectorAll("code")].map((code) => code.textContent)).toEqual([
    "li show ls",
    "li show resume calc",
  ]);
  expect(container.textContent).toContain("Run li show ls or li show resume calc, not ` this");
});
