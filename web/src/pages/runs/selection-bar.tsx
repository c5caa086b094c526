// Actions on the selected runs.
import { Button, Group } from "@mantine/core";
import { IconArrowsDiff, IconDownload, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { buildUrl } from "@/api/client";
import { useShortcuts } from "@/ui/keyboard/shortcuts";

export function SelectionBar({ selected, clear }: { selected: ReadonlySet<string>; clear: () => void }) {
  const navigate = useNavigate();
  const [a, b] = selected;
  const two = selected.size === 2 && a !== undefined && b !== undefined;
  const compare = (): void => {
    if (two) void navigate({ to: "/compare", search: { a, b } });
  };
  useShortcuts([{ keys: "c", label: "Compare the selected runs", group: "This list", run: compare }]);
  return (
    <Group gap={8} h={30}>
      <b>{selected.size} selected</b>
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
        onClick={() => void exportRuns([...selected])}
        title="Download each run as a Markdown file"
      >
        Export
      </Button>
      <Button variant="subtle" color="gray" leftSection={<IconX size={13} />} onClick={clear}>
        Clear
      </Button>
    </Group>
  );
}

/** One file for each run, with a pause: browsers merge downloads that follow too quickly. */
async function exportRuns(ids: string[]): Promise<void> {
  for (const id of ids) {
    const link = document.createElement("a");
    link.href = buildUrl("/api/sessions/{session_id}/export", {
      path: { session_id: id },
      query: { format: "md" },
    });
    link.download = "";
    link.click();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
