import { ActionIcon, CopyButton as Copier, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <Copier value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon
            size="sm"
            aria-label={label}
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
          >
            {copied ? <IconCheck size={14} color="var(--success)" /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copier>
  );
}
