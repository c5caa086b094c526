import { screen } from "@testing-library/react";
import { createRef } from "react";
import { expect, test } from "vitest";
import type { Question } from "@/api/questions";
import { readEvidence } from "@/domain/questions/evidence";
import { renderApp } from "@/testing/render";
import { AnswerForm } from "./answer-form";

test("AnswerForm shows control characters that would reverse the label of an answer", () => {
  const option = { id: "1", label: "Always allow \u202Eyned", effect: "allow_always", needs_text: false, detail: null };
  const question = { kind: "permission", options: [option], takes_text: false, takes_arguments: false };
  renderApp(
    <AnswerForm
      question={question as unknown as Question}
      evidence={readEvidence({}, "t")}
      answer={{ send: async () => {}, sending: undefined, error: undefined }}
      words={createRef()}
      pick={{ current: null }}
    />,
  );
  expect(screen.getByRole("button").textContent).toContain("Always allow [U+202E]yned");
  expect(document.body.textContent).not.toContain("\u202E");
});
