// What jsdom lacks and Mantine asks for.
import { afterEach } from "vitest";

window.matchMedia ??= (query) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;

afterEach(() => {
  document.body.innerHTML = "";
});
