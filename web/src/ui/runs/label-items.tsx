// The menu items of a run's labels: star, tags, note, rename, delete.
import { Menu } from "@mantine/core";
import { IconNote, IconPencil, IconStar, IconStarFilled, IconTag, IconTrash } from "@tabler/icons-react";
import type { Run } from "@/api/runs";
import type { LabelAction } from "./label-dialogs";
import { isStarred, useLabels } from "./labels";

export function LabelItems({ run, open }: { run: Run; open: (action: LabelAction) => void }) {
  const { star } = useLabels();
  const starred = isStarred(run);
  const isRunning = run.state.group === "running";
  return (
    <>
      <Menu.Item
        leftSection={starred ? <IconStarFilled size={14} /> : <IconStar size={14} />}
        onClick={() => void star([run])}
      >
        {starred ? "Remove star" : "Star"}
      </Menu.Item>
      <Menu.Item leftSection={<IconTag size={14} />} onClick={() => open("tags")}>
        Tags…
      </Menu.Item>
      <Menu.Item leftSection={<IconNote size={14} />} onClick={() => open("note")}>
        {run.note ? "Edit note…" : "Add note…"}
      </Menu.Item>
      <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => open("rename")}>
        Rename…
      </Menu.Item>
      <Menu.Item
        color="red"
        leftSection={<IconTrash size={14} />}
        disabled={isRunning}
        {...(isRunning ? { title: "Stop the run first" } : {})}
        onClick={() => open("delete")}
      >
        Delete…
      </Menu.Item>
    </>
  );
}
