// The menu of a message. It exists only while it is open: there are dozens of rows.
import { ActionIcon, Menu, Modal } from "@mantine/core";
import { IconBraces, IconDots, IconGitFork, IconLink } from "@tabler/icons-react";
import { useState } from "react";
import type { Message } from "@/api/messages";
import { CodeBlock } from "@/ui/text/code-block";
import { copyMessageLink } from "../../message-link";
import { forkPoint } from "../../talk/fork-at";
import classes from "./row-aside.module.css";

interface RowMenuProps {
  runId: string;
  message: Message;
  result: Message | undefined;
  /** The message is of this run, not inherited. */
  isOwn: boolean;
}

export function RowMenu({ runId, message, result, isOwn }: RowMenuProps) {
  const [opened, setOpened] = useState(false);
  const [raw, setRaw] = useState(false);
  const button = (
    <ActionIcon
      className={classes.menuButton}
      variant="subtle"
      color="gray"
      size={20}
      aria-label={`Actions for message ${message.ord}`}
      aria-haspopup="menu"
      onClick={() => setOpened(true)}
    >
      <IconDots size={14} />
    </ActionIcon>
  );
  if (!opened && !raw) return button;
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={190}>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconLink size={14} />}
            onClick={() => void copyMessageLink(runId, isOwn ? message.ord : message.id)}
          >
            Copy link
          </Menu.Item>
          {isOwn && (
            <Menu.Item
              leftSection={<IconGitFork size={14} />}
              onClick={() => forkPoint.set({ runId, ord: result?.ord ?? message.ord })}
            >
              Fork here…
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconBraces size={14} />} onClick={() => setRaw(true)}>
            Raw
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={raw} onClose={() => setRaw(false)} title={`Message ${message.ord}`} size="xl">
        <CodeBlock text={JSON.stringify(result ? [message, result] : message, null, 2)} label="Message as JSON" />
      </Modal>
    </>
  );
}
