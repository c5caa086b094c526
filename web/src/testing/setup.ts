// Browser features that Mantine needs and jsdom lacks.
import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

window.matchMedia ??= (query) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;

window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

Element.prototype.scrollIntoView ??= () => {};

afterEach(() => {
  cleanup();
  document.body.innerHTML = "";
});
