// Actions of a run: continue, fork, stop, export.
import { ActionIcon, Button, CopyButton, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconDownload, IconGitFork, IconPlayerStop, IconSitemap, IconTerminal2 } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { buildUrl, post } from "@/api/client";
import { resultMessage } from "@/domain/actions";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import type { Detail } from "../transcript/segments";
import { ContinueDialog } from "./continue-dialog";

const EXPORT_FORMATS = [
  { format: "md", name: "Markdown" },
  { format: "json", name: "JSON" },
  { format: "jsonl", name: "JSON lines" },
] as const;

export function RunActions({ detail }: { detail: Detail }) {
  const { session, source, commands } = detail;
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"stop" | "fork" | undefined>();
  const close = (): void => setDialog(undefined);
  const running = session.state.group === "running";
  const notifyCopied = (): void => {
    notifications.show({ message: `Copied: ${commands.resume}`, color: "green", withBorder: true });
  };
  useShortcuts([
    {
      keys: "y",
      label: "Copy resume command",
      group: "This run",
      run: () => void navigator.clipboard.writeText(commands.resume).then(notifyCopied),
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
              notifyCopied();
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
          onClick={() => setDialog("stop")}
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
          <Menu.Item leftSection={<IconGitFork size={14} />} onClick={() => setDialog("fork")}>
            Continue or fork…
          </Menu.Item>
          {source && (
            <Menu.Item
              leftSection={<IconSitemap size={14} />}
              onClick={() => void navigate({ to: "/shows/$topic", params: { topic: source.topic } })}
            >
              Open show
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Label>Export</Menu.Label>
          {EXPORT_FORMATS.map(({ format, name }) => (
            <Menu.Item
              key={format}
              component="a"
              href={buildUrl("/api/sessions/{session_id}/export", {
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
      <ConfirmDialog
        opened={dialog === "stop"}
        close={close}
        title="Stop this run?"
        confirmLabel="Stop run"
        danger
        run={() => stopRun(session.id)}
      >
        <p>
          Studio asks the agent of <b>{session.display_name}</b> and every process it started to stop, and kills them
          after 15 seconds. Recorded messages are kept. In a terminal: <code>{commands.kill}</code>
        </p>
      </ConfirmDialog>
      <ContinueDialog opened={dialog === "fork"} close={close} detail={detail} />
    </>
  );
}

async function stopRun(id: string): Promise<string> {
  const path = { session_id: id };
  const result = await post("/api/sessions/{session_id}/stop", { path, body: { grace_seconds: 15 } });
  return resultMessage(result, "Run stopped");
}
