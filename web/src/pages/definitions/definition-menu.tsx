// Duplicates or deletes a definition. A deleted one keeps its versions and can be restored.
import { ActionIcon, Menu } from "@mantine/core";
import { IconCopyPlus, IconDots, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { type Detail, deleteDefinition } from "@/api/definitions";
import { keys } from "@/api/keys";
import { ConfirmDialog } from "@/ui/feedback/confirm";
import { useKind } from "./kinds";
import { NewDialog } from "./new-dialog";

export function DefinitionMenu({ detail }: { detail: Detail }) {
  const info = useKind();
  const [dialog, setDialog] = useState<"duplicate" | "delete">();
  const close = (): void => setDialog(undefined);
  const { name, origin, etag } = detail.definition;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="md" aria-label="More actions">
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopyPlus size={14} />} onClick={() => setDialog("duplicate")}>
            Duplicate…
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={14} />}
            disabled={origin !== "home" || !etag}
            onClick={() => setDialog("delete")}
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {dialog === "duplicate" && <NewDialog info={info} source={{ name, text: detail.text ?? "" }} close={close} />}
      {dialog === "delete" && <DeleteDialog detail={detail} close={close} />}
    </>
  );
}

function DeleteDialog({ detail, close }: { detail: Detail; close: () => void }) {
  const info = useKind();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { name, path, etag } = detail.definition;
  const run = async (): Promise<string> => {
    const { version } = await deleteDefinition(info.kind, name, etag ?? "");
    await navigate({ to: info.list });
    queries.removeQueries({ queryKey: keys.definition(info.kind, name) });
    await queries.invalidateQueries({ queryKey: keys.definitions(info.kind) });
    return `Deleted ${name}; its page restores version ${version.version}`;
  };
  return (
    <ConfirmDialog opened close={close} title={`Delete ${name}?`} confirmLabel={`Delete ${info.one}`} danger run={run}>
      <p>
        The file <code>{path}</code> is deleted. Its versions stay: the page of {name} can restore each of them. Runs
        that used it are not changed.
      </p>
    </ConfirmDialog>
  );
}
