// The sheet of shortcuts: what is bound right now, on this page.
import { Kbd, Modal } from "@mantine/core";
import { useStore } from "@/api/store";
import { type Binding, bindings } from "@/ui/keyboard/shortcuts";
import classes from "./shortcut-sheet.module.css";

export default function ShortcutSheet({ opened, close }: { opened: boolean; close: () => void }) {
  const groups = grouped(useStore(bindings));
  return (
    <Modal opened={opened} onClose={close} title="Shortcuts" size="lg">
      <div className={classes.groups}>
        {[...groups].map(([group, found]) => (
          <section key={group} className={classes.group}>
            <h3 className={classes.title}>{group}</h3>
            <dl className={classes.list}>
              {found.map((binding) => (
                <div key={binding.keys} className={classes.entry}>
                  <dt>{binding.label}</dt>
                  <dd>
                    {binding.keys.split(" ").map((key) => (
                      <Kbd key={key} size="xs">
                        {NAMES[key] ?? key}
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

const NAMES: Record<string, string> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};
const ALWAYS: Binding = { keys: "Ctrl/⌘ K", label: "Go to anything", group: "Everywhere", run: () => {} };

function grouped(found: readonly Binding[]): Map<string, Binding[]> {
  const groups = new Map<string, Binding[]>();
  for (const binding of [ALWAYS, ...found]) {
    const group = binding.group ?? "This page";
    const list = groups.get(group) ?? [];
    if (!list.some((each) => each.keys === binding.keys)) groups.set(group, [...list, binding]);
  }
  return groups;
}
