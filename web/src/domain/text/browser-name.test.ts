import { expect, test } from "vitest";
import { browserName } from "./browser-name";

test("browserName names the browser and the system", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36";
  expect(browserName(chrome)).toBe("Chrome on Linux");
  expect(browserName(`${chrome} Edg/126.0`)).toBe("Edge on Linux");
  expect(browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0")).toBe(
    "Firefox on macOS",
  );
});

test("browserName falls back to the header itself", () => {
  expect(browserName("curl/8.5.0")).toBe("curl/8.5.0");
  expect(browserName(null)).toBe("Unknown browser");
});
