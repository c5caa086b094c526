import { expect, test } from "vitest";
import { setPageTitle, setWaitingCount } from "./tab-title";

test("setWaitingCount is part of the title and changes the icon", () => {
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg" />';
  setPageTitle("Home");
  setWaitingCount(3);
  expect(document.title).toBe("(3) Home · Lion Studio");
  expect(document.querySelector("link")?.getAttribute("href")).toBe("/favicon-waiting.svg");
  setPageTitle("Runs");
  expect(document.title).toBe("(3) Runs · Lion Studio");
  setWaitingCount(0);
  expect(document.title).toBe("Runs · Lion Studio");
  expect(document.querySelector("link")?.getAttribute("href")).toBe("/favicon.svg");
});
