// Copying a text, with a word that it was done.
import { ActionIcon, CopyButton as Copier, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

export function CopyButton({ text, what = "Copy" }: { text: string; what?: string }) {
  return (
    <Copier value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : what}>
          <ActionIcon
            size="sm"
            aria-label={what}
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
