// The visible columns. A preference, so it is stored in the browser and not in the address.
import { ActionIcon, Checkbox, Popover, Stack, Tooltip } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconColumns3 } from "@tabler/icons-react";
import { useMemo } from "react";
import { COLUMNS, type Column, HIDDEN_AT_FIRST } from "./columns";

export function useColumns() {
  const [hidden, setHidden] = useLocalStorage<Column[]>({ key: "lion-hidden-columns", defaultValue: HIDDEN_AT_FIRST });
  const shown = useMemo(
    () => new Set<Column>(COLUMNS.map(({ key }) => key).filter((key) => !hidden.includes(key))),
    [hidden],
  );
  const toggle = (key: Column): void =>
    setHidden(hidden.includes(key) ? hidden.filter((other) => other !== key) : [...hidden, key]);
  return { shown, toggle };
}

export function ColumnPicker({ shown, toggle }: ReturnType<typeof useColumns>) {
  return (
    <Popover position="bottom-end" shadow="md" radius={8}>
      <Popover.Target>
        <Tooltip label="Columns">
          <ActionIcon aria-label="Columns">
            <IconColumns3 size={16} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={8}>
          {COLUMNS.map(({ key, name }) => (
            <Checkbox key={key} size="xs" label={name} checked={shown.has(key)} onChange={() => toggle(key)} />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
