import { notifications } from "@mantine/notifications";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { Show } from "@/api/shows";
import { renderApp } from "@/testing/render";
import { ShowActions } from "./actions";

afterEach(() => {
  notifications.clean();
  vi.unstubAllGlobals();
});

const plan = "a".repeat(64);
const commits = ["b".repeat(40)];
const held = ["plan: network is changed", "commit bbbb on the integration branch"];
const approve = { action: "approve", label: "Approve", what: "It is followed.", danger: false, fields: [], held };
const show = { topic: "build", deeds: [{ ...approve, subject: { plan, commits } }] } as unknown as Show;

function stubFetch(status: number, body: object) {
  const fetch = vi.fn(async (_url: string, _request: RequestInit) => Response.json(body, { status }));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

function openDialog() {
  const { rerender } = renderApp(<ShowActions show={show} />);
  fireEvent.click(screen.getByRole("button", { name: "Approve" }));
  return rerender;
}

const confirm = () => fireEvent.click(screen.getAllByRole("button", { name: "Approve" }).at(-1) as HTMLElement);

test("ShowActions sends the subject that the dialog lists, not a newer one", async () => {
  const fetch = stubFetch(201, { launch: { exit_code: 0, target: "approve" }, output: "approved" });
  const rerender = openDialog();
  for (const change of held) expect(screen.getByText(change)).toBeDefined();
  const newer = { ...approve, held: ["plan: gates are dropped"], subject: { plan: "c".repeat(64) } };
  rerender(<ShowActions show={{ ...show, deeds: [newer] } as unknown as Show} />);
  confirm();
  await waitFor(() => expect(fetch).toHaveBeenCalledOnce());
  const body = JSON.parse(String(fetch.mock.calls[0]?.[1].body));
  expect(body).toEqual({ action: "approve", plan, commits });
});

test("ShowActions closes the dialog when the show changed meanwhile", async () => {
  stubFetch(409, { code: "conflict", detail: "build changed since you saw it: look again" });
  openDialog();
  confirm();
  await screen.findByText("The show changed since you looked. Look again.");
  await waitFor(() => expect(screen.queryByText("plan: network is changed")).toBeNull());
});
