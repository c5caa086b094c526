// The list of agents or playbooks. A file that cannot be read is listed with its error.
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Definition, definitions } from "@/api/definitions";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { FilterBar } from "@/ui/list/filter-bar";
import { List, ListRow, RowLink } from "@/ui/list/list-row";
import { NewRunButton } from "@/ui/new-run/new-run-button";
import { Page } from "@/ui/page";
import { useKind } from "./kinds";
import { NewDialog } from "./new-dialog";

export function DefinitionsPage() {
  const info = useKind();
  const { q } = useSearch({ from: info.list });
  const navigate = useNavigate();
  const query = useQuery(definitions(info.kind));
  // The command palette leads to #new.
  const asked = useRouterState({ select: ({ location }) => location.hash === "new" });
  const [creating, setCreating] = useState(false);
  useShortcuts([{ keys: "n", label: `New ${info.one}`, group: info.title, run: () => setCreating(true) }]);
  const change = (_: string, value: string | undefined): void =>
    void navigate({ to: info.list, search: value ? { q: value } : {}, replace: true });
  return (
    <Page
      title={info.title}
      actions={
        <>
          <NewRunButton request={{ kind: info.kind }} label="Run…" />
          <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
            New {info.one}
          </Button>
        </>
      }
      bar={
        <FilterBar
          text={{ value: q, placeholder: `Filter ${info.title.toLowerCase()}…` }}
          choices={[]}
          change={change}
          clear={() => change("q", undefined)}
        />
      }
    >
      <Loaded query={query} label={info.title}>
        {(data) => (
          <>
            <DefinitionList
              items={data.items.filter((item) => matches(item, q))}
              filtered={q !== undefined}
              create={() => setCreating(true)}
            />
            <p className="muted">Folders: {data.places.join(", ")}</p>
          </>
        )}
      </Loaded>
      {(creating || asked) && (
        <NewDialog
          info={info}
          close={() => {
            setCreating(false);
            // A created one has been opened already.
            if (window.location.hash === "#new") void navigate({ to: info.list, replace: true });
          }}
        />
      )}
    </Page>
  );
}

function matches(item: Definition, q: string | undefined): boolean {
  const needle = q?.toLowerCase() ?? "";
  return `${item.name} ${item.description ?? ""} ${item.model ?? ""}`.toLowerCase().includes(needle);
}

interface ListProps {
  items: Definition[];
  filtered: boolean;
  create: () => void;
}

function DefinitionList({ items, filtered, create }: ListProps) {
  const info = useKind();
  const navigate = useNavigate();
  const open = (index: number): void => {
    const name = items[index]?.name;
    if (name) void navigate({ to: info.page, params: { name } });
  };
  const [at] = useListKeys({ count: items.length, open, leave: () => void navigate({ to: "/" }) });
  if (items.length === 0) {
    return (
      <EmptyState
        title={filtered ? `No ${info.title.toLowerCase()} match` : `No ${info.title.toLowerCase()} yet`}
        action={
          filtered ? (
            <Button variant="default" onClick={() => void navigate({ to: info.list, search: {}, replace: true })}>
              Clear filter
            </Button>
          ) : (
            <Button leftSection={<IconPlus size={14} />} onClick={create}>
              New {info.one}
            </Button>
          )
        }
      >
        {!filtered && `${info.title} are files with a version history.`}
      </EmptyState>
    );
  }
  return (
    <List label={info.title}>
      {items.map((item, index) => (
        <DefinitionRow key={item.path} item={item} active={index === at} />
      ))}
    </List>
  );
}

function DefinitionRow({ item, active }: { item: Definition; active: boolean }) {
  const info = useKind();
  return (
    <ListRow
      active={active}
      title={
        <RowLink to={info.page} params={{ name: item.name }}>
          {item.name}
        </RowLink>
      }
      description={item.description ?? "No description"}
      error={item.error}
    >
      {item.problems.length > 0 && !item.error && (
        <span className="warning-text">{plural(item.problems.length, "problem")}</span>
      )}
      {item.shadowed_by && <span className="warning-text">overridden by {item.shadowed_by}</span>}
      <span className="muted">{item.model ?? item.mode}</span>
      <span className="outline-badge">{item.origin}</span>
    </ListRow>
  );
}
