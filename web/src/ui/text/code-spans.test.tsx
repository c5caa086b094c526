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

test("CodeSpans shows control characters that would reverse the text", () => {
  const { container } = renderApp(<CodeSpans text={"Bash: `echo \u202Efr- mr`\u202E"} />);
  expect(container.textContent).toContain("Bash: echo [U+202E]fr- mr[U+202E]");
});
