// What can be done with a run: go on with it, fork it, stop it, take it along.
import { ActionIcon, Button, CopyButton, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import {
  IconDots,
  IconDownload,
  IconGitFork,
  IconPlayerStop,
  IconSitemap,
  IconTerminal2,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { addressOf, post } from "@/api/client";
import { ConfirmPreview } from "@/ui/feedback/confirm";
import { useKeys } from "@/ui/keyboard/shortcuts";
import type { Detail } from "../transcript/segments";
import { GoOn } from "./continue-dialog";

const FORMS = [
  { format: "md", name: "Markdown" },
  { format: "json", name: "JSON" },
  { format: "jsonl", name: "JSON lines" },
] as const;

export function RunActions({ detail }: { detail: Detail }) {
  const { session, source, commands } = detail;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"stop" | "fork" | undefined>();
  const close = (): void => setAsked(undefined);
  const running = session.status === "running";
  const copied = (): void => {
    notifications.show({ message: `Copied: ${commands.resume}`, color: "green", withBorder: true });
  };
  useKeys([
    {
      keys: "y",
      label: "Copy the resume command",
      group: "This run",
      run: () => void navigator.clipboard.writeText(commands.resume).then(copied),
    },
  ]);
  return (
    <>
      <CopyButton value={commands.resume}>
        {({ copy }) => (
          <Button
            variant="default"
            visibleFrom="sm"
            leftSection={<IconTerminal2 size={14} stroke={1.7} />}
            onClick={() => {
              copy();
              copied();
            }}
          >
            Copy resume command
          </Button>
        )}
      </CopyButton>
      {running && (
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={14} stroke={1.7} />}
          onClick={() => setAsked("stop")}
        >
          Stop
        </Button>
      )}
      <Menu position="bottom-end" width={210}>
        <Menu.Target>
          <ActionIcon aria-label="More actions" variant="default" size={30}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconGitFork size={14} />} onClick={() => setAsked("fork")}>
            Go on or fork…
          </Menu.Item>
          {source && (
            <Menu.Item
              leftSection={<IconSitemap size={14} />}
              onClick={() => void navigate({ to: "/shows/$topic", params: { topic: source.topic } })}
            >
              Open the show
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Label>Export</Menu.Label>
          {FORMS.map(({ format, name }) => (
            <Menu.Item
              key={format}
              component="a"
              href={addressOf("/api/sessions/{session_id}/export", {
                path: { session_id: session.id },
                query: { format },
              })}
              download
              leftSection={<IconDownload size={14} />}
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ConfirmPreview
        opened={asked === "stop"}
        close={close}
        title="Stop this run?"
        deed="Stop the run"
        danger
        run={() => stopped(session.id)}
      >
        <p>
          The agent of <b>{session.display_name}</b> and everything it started is asked to end, and is ended
          after 15 seconds. What it has said so far stays. The same in a terminal:{" "}
          <code>{commands.kill}</code>
        </p>
      </ConfirmPreview>
      <GoOn opened={asked === "fork"} close={close} detail={detail} />
    </>
  );
}

async function stopped(id: string): Promise<string> {
  const path = { session_id: id };
  const answer = await post("/api/sessions/{session_id}/stop", { path, body: { grace_seconds: 15 } });
  return answer.over ? `Stopped: ${answer.outcome}` : `Still running: ${answer.outcome}`;
}
