// The times until which an item can be hidden; loaded when the menu opens.
import { Menu } from "@mantine/core";
import type { ReactElement } from "react";
import { secondsUntilTomorrow } from "@/domain/attention";

const HOUR = 3600;

interface SnoozeMenuProps {
  target: ReactElement;
  snooze: (seconds: number, until: string) => void;
}

export default function SnoozeMenu({ target, snooze }: SnoozeMenuProps) {
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Snooze</Menu.Label>
        <Menu.Item onClick={() => snooze(HOUR, "for an hour")}>For an hour</Menu.Item>
        <Menu.Item onClick={() => snooze(secondsUntilTomorrow(new Date()), "until tomorrow")}>
          Until tomorrow, 8:00
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
