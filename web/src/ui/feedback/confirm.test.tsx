import { notifications } from "@mantine/notifications";
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { ApiError } from "@/api/errors";
import { renderApp } from "@/testing/render";
import { ConfirmDialog } from "./confirm";

afterEach(() => notifications.clean());

function renderDialog(run: () => Promise<string>, props: { disabled?: boolean } = {}) {
  const close = vi.fn();
  renderApp(
    <ConfirmDialog opened close={close} title="Delete runs?" confirmLabel="Delete 3 runs" run={run} {...props}>
      <p>3 runs would be deleted</p>
    </ConfirmDialog>,
  );
  return close;
}

const button = (name: string) => screen.getByRole("button", { name });

test("ConfirmDialog shows the preview and does nothing until it is confirmed", () => {
  const run = vi.fn(async () => "Deleted");
  const close = renderDialog(run);
  expect(screen.getByText("3 runs would be deleted")).toBeDefined();
  fireEvent.click(button("Cancel"));
  expect(close).toHaveBeenCalledOnce();
  expect(run).not.toHaveBeenCalled();
});

test("ConfirmDialog closes after success and notifies with the result", async () => {
  const close = renderDialog(async () => "Deleted 3 runs");
  fireEvent.click(button("Delete 3 runs"));
  await screen.findByText("Deleted 3 runs");
  await waitFor(() => expect(close).toHaveBeenCalledOnce());
});

test("ConfirmDialog stays open after a failure and shows the error with its hint", async () => {
  const error = new ApiError(409, "busy", "the database is locked", "try again later");
  const close = renderDialog(() => Promise.reject(error));
  fireEvent.click(button("Delete 3 runs"));
  await screen.findByText("the database is locked. Try again later");
  expect(close).not.toHaveBeenCalled();
});

test("ConfirmDialog runs an action once while it is busy, and never when disabled", async () => {
  let finish = (_: string): void => {};
  const run = vi.fn(() => new Promise<string>((resolve) => (finish = resolve)));
  renderDialog(run);
  fireEvent.click(button("Delete 3 runs"));
  fireEvent.click(button("Delete 3 runs"));
  expect(run).toHaveBeenCalledOnce();
  finish("Deleted");
  await screen.findByText("Deleted");
  cleanup();
  renderDialog(run, { disabled: true });
  expect((button("Delete 3 runs") as HTMLButtonElement).disabled).toBe(true);
});
