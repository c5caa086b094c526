// Actions of a run: run again, fork, stop, export, and the commands for a terminal.
import { ActionIcon, Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import {
  IconDots,
  IconDownload,
  IconGitFork,
  IconPlayerPlay,
  IconPlayerStop,
  IconSitemap,
  IconTerminal2,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { exportSession } from "@/api/runs";
import { runAction } from "@/ui/feedback/run-action";
import { openNewRun } from "@/ui/new-run/open-new-run";
import { StarButton, useLabelItems } from "@/ui/runs/label-actions";
import { forkPoint } from "../talk/fork-at";
import type { Detail } from "../transcript/segments";
import { StopDialog } from "./stop-dialog";

const EXPORT_FORMATS = [
  { format: "html", name: "HTML page" },
  { format: "md", name: "Markdown" },
  { format: "json", name: "JSON" },
  { format: "jsonl", name: "JSON lines" },
] as const;

export function RunActions({ detail, goTo }: { detail: Detail; goTo: (ord: number) => void }) {
  const { session, source, commands } = detail;
  const navigate = useNavigate();
  const [isStopping, setStopping] = useState(false);
  const labels = useLabelItems(session);
  const running = session.state.group === "running";
  // Only the machine of a run can stop it.
  const isElsewhere = running && session.machine_name !== null;
  const { resume, vendor, no_resume_reason } = commands;
  const lastOrd = session.message_count - 1;
  const copy = (command: string): void => {
    void navigator.clipboard.writeText(command).then(() => {
      notifications.show({ message: `Copied: ${command}`, color: "green", withBorder: true });
    });
  };
  const fork = (): void => {
    forkPoint.set({ runId: session.id, ord: lastOrd });
    goTo(lastOrd);
  };
  return (
    <>
      {isElsewhere ? null : running ? (
        <Button
          variant="default"
          visibleFrom="sm"
          leftSection={<IconPlayerStop size={14} stroke={1.7} />}
          onClick={() => setStopping(true)}
        >
          Stop
        </Button>
      ) : (
        !source && (
          <Button
            variant="default"
            visibleFrom="sm"
            leftSection={<IconPlayerPlay size={14} stroke={1.7} />}
            onClick={() => openNewRun({ retries: session.id })}
          >
            Run again…
          </Button>
        )
      )}
      <StarButton run={session} />
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon aria-label="More actions" variant="default" size={30}>
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!running && !source && (
            <Menu.Item
              hiddenFrom="sm"
              leftSection={<IconPlayerPlay size={14} />}
              onClick={() => openNewRun({ retries: session.id })}
            >
              Run again…
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconGitFork size={14} />}
            disabled={!commands.target || lastOrd < 0}
            {...(commands.target ? {} : { title: no_resume_reason ?? "" })}
            onClick={fork}
          >
            Fork at the end…
          </Menu.Item>
          {source && (
            <Menu.Item
              leftSection={<IconSitemap size={14} />}
              onClick={() => void navigate({ to: "/shows/$topic", params: { topic: source.topic } })}
            >
              Open show
            </Menu.Item>
          )}
          {(resume || vendor) && (
            <>
              <Menu.Divider />
              <Menu.Label>Continue in a terminal</Menu.Label>
              {[resume, vendor].map(
                (command) =>
                  command && (
                    <Menu.Item
                      key={command}
                      title={command}
                      leftSection={<IconTerminal2 size={14} />}
                      onClick={() => copy(command)}
                    >
                      {command === resume ? "Copy resume command" : `Copy ${session.provider} command`}
                    </Menu.Item>
                  ),
              )}
            </>
          )}
          <Menu.Divider />
          {labels.items}
          <Menu.Divider />
          <Menu.Label>Export</Menu.Label>
          {EXPORT_FORMATS.map(({ format, name }) => (
            <Menu.Item
              key={format}
              onClick={() => void runAction(() => exportSession(session.id, format))}
              leftSection={<IconDownload size={14} />}
            >
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <StopDialog opened={isStopping} close={() => setStopping(false)} detail={detail} />
      {labels.dialog}
    </>
  );
}
