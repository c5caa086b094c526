import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import RenderedMarkdown from "./markdown-renderer";

const html = (text: string): HTMLElement => render(<RenderedMarkdown text={text} />).container;

test("Markdown renders emphasis, code and tables", () => {
  expect(html("**bold** `code`").querySelector("strong")?.textContent).toBe("bold");
  expect(html("| a |\n|---|\n| 1 |").querySelector("td")?.textContent).toBe("1");
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><iframe src='javascript:alert(1)'></iframe></svg>",
  "[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](data:text/html,x) [v](vbscript:x)",
  "![x](http://192.0.2.1/a.png) ![y](data:image/svg+xml,<svg/onload=alert(1)>)",
  "<a href='java&#115;cript:alert(1)'>x</a> <style>*{}</style> <form action=x><input></form>",
])("Markdown makes %s harmless", (text) => {
  const made = html(text);
  expect(made.querySelectorAll("script, img, svg, iframe, style, form, object, embed, link").length).toBe(0);
  for (const link of made.querySelectorAll("a"))
    expect(link.getAttribute("href") ?? "").toMatch(/^(https?:|mailto:|$)/i);
  for (const element of made.querySelectorAll("*"))
    for (const name of element.getAttributeNames()) expect(name).not.toMatch(/^on/i);
});

test("Markdown opens links in a new tab without a referrer", () => {
  const link = html("[x](https://example.com)").querySelector("a");
  expect(link?.getAttribute("rel")).toContain("noopener");
  expect(link?.getAttribute("target")).toBe("_blank");
});
