// Actions on the selected runs.
import { Button, Group } from "@mantine/core";
import { IconArrowsDiff, IconDownload, IconStar, IconTag, IconTrash, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { exportSession, type Run } from "@/api/runs";
import { plural } from "@/domain/text/format";
import { runAction } from "@/ui/feedback/run-action";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import type { LabelAction } from "@/ui/runs/label-dialogs";
import { useLabels } from "@/ui/runs/labels";

interface SelectionBarProps {
  selected: Run[];
  clear: () => void;
  openDialog: (action: LabelAction) => void;
}

export function SelectionBar({ selected, clear, openDialog }: SelectionBarProps) {
  const navigate = useNavigate();
  const { star } = useLabels();
  const [a, b] = selected;
  const two = selected.length === 2 && a !== undefined && b !== undefined;
  const compare = (): void => {
    if (two) void navigate({ to: "/compare", search: { a: a.id, b: b.id } });
  };
  useShortcuts([{ keys: "c", label: "Compare the selected runs", group: "This list", run: compare }]);
  return (
    <Group gap={8} mih={30}>
      <b>{selected.length} selected</b>
      <Button
        variant="default"
        leftSection={<IconArrowsDiff size={14} />}
        disabled={!two}
        onClick={compare}
        title="Select two runs to compare them"
      >
        Compare
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => void runAction(() => exportRuns(selected))}
        title="Download each run as a Markdown file"
      >
        Export
      </Button>
      <Button variant="default" leftSection={<IconStar size={14} />} onClick={() => void star(selected)}>
        Star
      </Button>
      <Button variant="default" leftSection={<IconTag size={14} />} onClick={() => openDialog("tags")}>
        Tag…
      </Button>
      <Button variant="default" leftSection={<IconTrash size={14} />} onClick={() => openDialog("delete")}>
        Delete…
      </Button>
      <Button variant="subtle" color="gray" leftSection={<IconX size={13} />} onClick={clear}>
        Clear
      </Button>
    </Group>
  );
}

/** One file for each run, with a pause: browsers merge downloads that follow too quickly. */
async function exportRuns(runs: Run[]): Promise<string> {
  for (const { id } of runs) {
    await exportSession(id, "md");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return `Exported ${plural(runs.length, "run")}`;
}
