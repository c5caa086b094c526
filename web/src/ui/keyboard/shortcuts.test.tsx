import { render } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { holdKeys, releaseKeys } from "./held-keys";
import { startShortcuts, useShortcuts } from "./shortcuts";

let heard: string[] = [];
beforeAll(() => startShortcuts(document));
beforeEach(() => {
  heard = [];
});

function Bound({ name }: { name: string }) {
  useShortcuts([
    { keys: "j", label: "j", run: () => heard.push(`${name} j`) },
    { keys: "g r", label: "jump", run: () => heard.push(`${name} g r`) },
  ]);
  return <input aria-label={name} />;
}

const press = (key: string, target: Element = document.body, more = {}): void =>
  void target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));

test("useShortcuts runs keys and sequences of the newest mounted component", () => {
  render(<Bound name="page" />);
  const second = render(<Bound name="dialog" />);
  press("j");
  press("g");
  press("r");
  second.unmount();
  press("j");
  expect(heard).toEqual(["dialog j", "dialog g r", "page j"]);
});

test("useShortcuts ignores keys in text fields and with Ctrl", () => {
  const { getByLabelText } = render(<Bound name="field" />);
  press("j", getByLabelText("field"));
  press("j", document.body, { ctrlKey: true });
  expect(heard).toEqual([]);
});

test("useShortcuts ignores keys behind a dialog, including the one that closes it, and handled keys", () => {
  render(<Bound name="page" />);
  const dialog = document.body.appendChild(document.createElement("div"));
  dialog.setAttribute("role", "dialog");
  dialog.setAttribute("aria-modal", "true");
  const close = (): void => dialog.remove();
  window.addEventListener("keydown", close, { capture: true, once: true });
  press("j");
  expect(dialog.isConnected).toBe(false);
  document.body.addEventListener("keydown", (event) => event.preventDefault(), { once: true });
  press("j");
  expect(heard).toEqual([]);
  press("j");
  expect(heard).toEqual(["page j"]);
});

test("holdKeys keeps what is typed for the field that opens", () => {
  render(<Bound name="page" />);
  holdKeys();
  for (const key of ["j", "a", "Shift", "b", "Backspace", "/"]) press(key);
  expect(heard).toEqual([]);
  expect(releaseKeys()).toBe("ja/");
  press("j");
  expect(heard).toEqual(["page j"]);
});

test("holdKeys ends with Esc", () => {
  render(<Bound name="page" />);
  holdKeys();
  press("Escape");
  press("j");
  expect(heard).toEqual(["page j"]);
  expect(releaseKeys()).toBe("");
});
