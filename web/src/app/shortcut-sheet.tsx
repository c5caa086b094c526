// The shortcuts that are active on this page.
import { Kbd, Modal } from "@mantine/core";
import { useStore } from "@/api/store";
import { declarations, type Shortcut } from "@/ui/keyboard/shortcuts";
import classes from "./shortcut-sheet.module.css";

export default function ShortcutSheet({ opened, close }: { opened: boolean; close: () => void }) {
  const groups = groupShortcuts(useStore(declarations).flatMap(({ current }) => current));
  return (
    <Modal opened={opened} onClose={close} title="Shortcuts" size="lg">
      <div className={classes.groups}>
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className={classes.title}>{group}</h3>
            <dl className={classes.shortcuts}>
              {shortcuts.map((shortcut) => (
                <div key={shortcut.keys} className={classes.shortcut}>
                  <dt>{shortcut.label}</dt>
                  <dd>
                    {shortcut.keys.split(" ").map((key) => (
                      <Kbd key={key} size="xs">
                        {KEY_NAMES[key] ?? key}
                      </Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

const KEY_NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};
const PALETTE_SHORTCUT: Shortcut = {
  keys: "Ctrl/⌘ K",
  label: "Open command palette",
  group: "Everywhere",
  run: () => {},
};

function groupShortcuts(shortcuts: readonly Shortcut[]): Map<string, Shortcut[]> {
  const groups = new Map<string, Shortcut[]>();
  for (const shortcut of [PALETTE_SHORTCUT, ...shortcuts]) {
    const group = shortcut.group ?? "This page";
    const list = groups.get(group) ?? [];
    if (!list.some((other) => other.keys === shortcut.keys)) groups.set(group, [...list, shortcut]);
  }
  return groups;
}
