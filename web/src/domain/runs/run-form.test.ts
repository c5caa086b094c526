import { expect, test } from "vitest";
import { EMPTY_FORM, formErrors, launchBody, planOf, repeatForm } from "./run-form";

test("launchBody leaves empty fields out and counts the timeout in seconds", () => {
  const form = { ...EMPTY_FORM, target: "claude", prompt: "fix it", folder: "/repo", minutes: "10" };
  expect(launchBody(form)).toEqual({
    verb: "agent",
    target: "claude",
    prompt: "fix it",
    options: { cwd: "/repo", timeout: 600 },
  });
});

test("launchBody sends the arguments of a playbook that have a value", () => {
  const form = { ...EMPTY_FORM, kind: "playbook" as const, target: "audit", args: { depth: "2", mode: "" } };
  expect(launchBody(form)).toEqual({ verb: "play", target: "audit", prompt: "", options: { arg: ["depth=2"] } });
});

test("launchBody of a show plans it in the folder, with the goal and the agent that drafts it", () => {
  const form = {
    ...EMPTY_FORM,
    kind: "show" as const,
    topic: "parser",
    prompt: "split it",
    folder: "/r",
    agent: "claude",
  };
  const options = { cwd: "/r", goal: "split it", agent: "claude" };
  expect(launchBody(form)).toEqual({ verb: "plan", target: "parser", prompt: "", options });
  expect(launchBody({ ...form, plan: "demo" })).toMatchObject({ verb: "demo", target: "show" });
});

test("formErrors names each field that is missing", () => {
  expect(Object.keys(formErrors({ ...EMPTY_FORM, minutes: "x" }, ["depth"]))).toEqual([
    "target",
    "prompt",
    "timeout",
    "arg.depth",
  ]);
  expect(formErrors({ ...EMPTY_FORM, kind: "show", topic: "No Way", prompt: "x", agent: "a" }, [])).toHaveProperty(
    "topic",
  );
});

test("repeatForm fills the form with the request of a run", () => {
  const request = { kind: "agent", target: "claude", prompt: "p", folder: "/r", options: { timeout: 90 }, args: {} };
  const form = { ...EMPTY_FORM, ...repeatForm(request, "run-1") };
  expect(launchBody(form).options).toEqual({ cwd: "/r", retries: "run-1", timeout: 120 });
});

test("planOf chooses an agent with a model, and the template without one", () => {
  const agent = (name: string, provider: string | null, problem: string | null = null) => ({
    name,
    provider,
    problem,
    needs_model: name === "openai",
  });
  const without = [agent("script", "script"), agent("echo", "script"), agent("openai", "openai"), agent("bad", null)];
  const missing = agent("claude", "claude", "claude was not found");
  expect(planOf([...without, missing], ["script"])).toEqual({ agent: "", plan: "template" });
  const able = [...without, agent("reviewer", "claude"), agent("codex", "codex")];
  expect(planOf(able, ["script"])).toEqual({ agent: "codex", plan: "agent" });
  expect(planOf(able, ["reviewer"])).toEqual({ agent: "reviewer", plan: "agent" });
});
