import { QueryClient } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { keys } from "@/api/keys";
import { providers } from "@/testing/render";
import Welcome from "./welcome";

// It navigates, and this test has no router.
vi.mock("./first-run", () => ({ FirstRun: () => null }));

function renderWelcome(sessions: number, enabled = false, location = ""): void {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(keys.imports(), { follower: { enabled, tools: [] }, work: [] });
  queries.setQueryData(keys.launches(), { launches: [] });
  queries.setQueryData(keys.history(), {
    histories: [{ tool: "claude", title: "Claude Code", root: "/u/.claude", sessions, imported: 0 }],
    location,
  });
  render(<Welcome />, { wrapper: providers(queries) });
}

test("Welcome imports the sessions that were found, and its commands name the home", async () => {
  renderWelcome(98, false, "--home /h");
  expect(await screen.findByRole("button", { name: "Import 98 Claude Code sessions" })).toBeTruthy();
  expect(screen.getByText("li mirror claude --follow --home /h")).toBeTruthy();
});

test("Welcome says where it looked for sessions", async () => {
  renderWelcome(0);
  expect(await screen.findByText("No sessions were found in /u/.claude.")).toBeTruthy();
});

test("Welcome says that Studio follows transcripts", async () => {
  renderWelcome(0, true);
  expect(await screen.findByText(/Studio follows/)).toBeTruthy();
});
