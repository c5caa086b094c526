// What can be done with the runs that were chosen.
import { Button, Group } from "@mantine/core";
import { IconArrowsDiff, IconDownload, IconX } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { buildUrl } from "@/api/client";
import { plural } from "@/domain/text/format";
import { useShortcuts } from "@/ui/keyboard/shortcuts";

export function SelectionBar({ chosen, clear }: { chosen: ReadonlySet<string>; clear: () => void }) {
  const navigate = useNavigate();
  const [a, b] = chosen;
  const two = chosen.size === 2 && a !== undefined && b !== undefined;
  const compare = (): void => {
    if (two) void navigate({ to: "/compare", search: { a, b } });
  };
  useShortcuts([{ keys: "c", label: "Compare the two that are chosen", group: "This list", run: compare }]);
  return (
    <Group gap={8} h={30}>
      <b>{plural(chosen.size, "run")} chosen</b>
      <Button
        variant="default"
        leftSection={<IconArrowsDiff size={14} />}
        disabled={!two}
        onClick={compare}
        title="Two runs can be compared"
      >
        Compare
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload size={14} />}
        onClick={() => void exportRuns([...chosen])}
        title="Each as a Markdown file"
      >
        Export
      </Button>
      <Button variant="subtle" color="gray" leftSection={<IconX size={13} />} onClick={clear}>
        Clear
      </Button>
    </Group>
  );
}

/** One file each; browsers take downloads that follow too closely for one. */
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
