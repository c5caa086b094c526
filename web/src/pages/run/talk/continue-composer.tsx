// Continues an ended run: the same conversation, in a new run.
import { useRef } from "react";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import type { Detail } from "../transcript/segments";
import { NoComposer, PromptBox } from "./prompt-box";

export function ContinueComposer({ detail: { session, commands } }: { detail: Detail }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcuts([{ keys: "r", label: "Continue this run", group: "This run", run: () => field.current?.focus() }]);
  if (!commands.target || !commands.resume) return <NoComposer verb="continued" reason={commands.no_resume_reason} />;
  return (
    <PromptBox
      origin={session.id}
      target={commands.target}
      options={{ resume: session.id, ...(session.cwd ? { cwd: session.cwd } : {}) }}
      draftKey={session.id}
      label="Continue this run"
      placeholder="Continue the conversation…"
      button="Continue"
      effect={`Continues the conversation with ${commands.target} in a new run.`}
      field={field}
    />
  );
}
