// Saved views: the filters and the order of the list under a name, in this browser.
import { ActionIcon, Button, Group, Menu, Modal, TextInput } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconBookmark, IconBookmarkPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { type RunsSearch, validateSearch } from "@/api/run-list/search";
import {
  addView,
  BUILT_IN_VIEWS,
  isSameSearch,
  parseViews,
  type SavedView,
  VIEWS_KEY,
} from "@/domain/runs/saved-views";
import classes from "./filter.module.css";

interface ViewsMenuProps {
  search: RunsSearch;
  go: (search: RunsSearch) => void;
}

export function ViewsMenu({ search, go }: ViewsMenuProps) {
  const [views, setViews] = useLocalStorage<SavedView[]>({
    key: VIEWS_KEY,
    defaultValue: [],
    deserialize: parseViews,
    getInitialValueInEffect: false,
  });
  const [naming, setNaming] = useState(false);
  const current = [...views, ...BUILT_IN_VIEWS].find((view) => isSameSearch(view.search, search));
  const item = (view: SavedView) => (
    <Menu.Item key={view.name} onClick={() => go(validateSearch(view.search))} fw={view === current ? 600 : undefined}>
      {view.name}
    </Menu.Item>
  );
  return (
    <>
      <Menu position="bottom-start" width={250}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={14} stroke={1.7} />}>
            <span className={classes.viewName}>{current?.name ?? "Views"}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length > 0 && <Menu.Label>Yours, in this browser</Menu.Label>}
          {views.map((view) => (
            <div key={view.name} className={classes.view}>
              {item(view)}
              <ActionIcon
                size="sm"
                aria-label={`Delete the view ${view.name}`}
                onClick={() => setViews(views.filter((other) => other !== view))}
              >
                <IconTrash size={13} />
              </ActionIcon>
            </div>
          ))}
          <Menu.Label>Ready-made</Menu.Label>
          {BUILT_IN_VIEWS.map(item)}
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconBookmarkPlus size={14} />}
            disabled={Object.keys(search).length === 0 || current !== undefined}
            onClick={() => setNaming(true)}
          >
            Save this view…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <NameDialog
          close={() => setNaming(false)}
          save={(name) => {
            setViews(addView(views, name, search));
            setNaming(false);
          }}
        />
      )}
    </>
  );
}

function NameDialog({ close, save }: { close: () => void; save: (name: string) => void }) {
  const [name, setName] = useState("");
  const submit = (): void => {
    if (name.trim()) save(name);
  };
  return (
    <Modal opened onClose={close} title="Save this view" size="sm">
      <TextInput
        data-autofocus
        label="Name"
        placeholder="My failures"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && submit()}
      />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button disabled={!name.trim()} onClick={submit}>
          Save view
        </Button>
      </Group>
    </Modal>
  );
}
