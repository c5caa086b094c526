// What can be done with the runs that were chosen.
import { Button, Group } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { plural } from "@/domain/format";

export function SelectionBar({ chosen, clear }: { chosen: ReadonlySet<string>; clear: () => void }) {
  return (
    <Group gap={8} h={30}>
      <b>{plural(chosen.size, "run")} chosen</b>
      <Button variant="subtle" color="gray" leftSection={<IconX size={13} />} onClick={clear}>
        Clear
      </Button>
    </Group>
  );
}
