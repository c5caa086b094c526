import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "@/testing/render";
import { type Choice, FilterBar } from "./filter-bar";

const STATUS: Choice = {
  name: "status",
  label: "Status",
  value: undefined,
  options: [
    { value: "failed", count: 12_400 },
    { value: "timed_out", label: "timed out" },
  ],
};

function renderBar({ q, status }: { q?: string; status?: string } = {}) {
  const [change, clear] = [vi.fn(), vi.fn()];
  renderApp(
    <FilterBar
      text={{ value: q, placeholder: "Filter" }}
      choices={[{ ...STATUS, value: status }]}
      change={change}
      clear={clear}
    />,
  );
  return { change, clear };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("FilterBar reports the trimmed text once typing stops", () => {
  const { change } = renderBar();
  const input = screen.getByRole("textbox", { name: "Filter" });
  fireEvent.change(input, { target: { value: "che" } });
  fireEvent.change(input, { target: { value: " checkout " } });
  expect(change).not.toHaveBeenCalled();
  vi.advanceTimersByTime(300);
  expect(change.mock.calls).toEqual([["q", "checkout"]]);
  fireEvent.change(input, { target: { value: "  " } });
  vi.advanceTimersByTime(300);
  expect(change).toHaveBeenLastCalledWith("q", undefined);
});

test("FilterBar lists options with counts and reports the selected one", () => {
  const { change } = renderBar();
  fireEvent.click(screen.getByRole("combobox", { name: "Status" }));
  expect(screen.getByText("failed · 12.4k")).toBeDefined();
  fireEvent.click(screen.getByText("timed out"));
  expect(change.mock.calls).toEqual([["status", "timed_out"]]);
});

test("FilterBar keeps a value that is not among the options", () => {
  renderBar({ status: "cancelled" });
  expect((screen.getByRole("combobox", { name: "Status" }) as HTMLInputElement).value).toBe("cancelled");
});

test("FilterBar offers Clear only when a filter is set", () => {
  renderBar();
  expect(screen.queryByRole("button", { name: "Clear" })).toBeNull();
  cleanup();
  const { clear } = renderBar({ q: "x" });
  fireEvent.click(screen.getByRole("button", { name: "Clear" }));
  expect(clear).toHaveBeenCalledOnce();
});
