// Every definition of a kind; one that cannot be used is an entry that says why.
import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Definition, definitions } from "@/api/definitions";
import { plural } from "@/domain/text/format";
import { EmptyState, Loaded } from "@/ui/feedback/placeholders";
import { useListKeys } from "@/ui/keyboard/list-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { FilterBar } from "@/ui/list/filter-bar";
import { Page, Panel } from "@/ui/page";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";
import { NewDialog } from "./new-dialog";

export function DefinitionsPage() {
  const info = useKind();
  const { q } = useSearch({ from: info.list });
  const navigate = useNavigate();
  const query = useQuery(definitions(info.kind));
  const [creating, setCreating] = useState(false);
  useShortcuts([{ keys: "c", label: `New ${info.one}`, group: info.title, run: () => setCreating(true) }]);
  const change = (_: string, value: string | undefined): void =>
    void navigate({ to: info.list, search: value ? { q: value } : {}, replace: true });
  return (
    <Page
      title={info.title}
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
          New {info.one}
        </Button>
      }
      bar={
        <FilterBar
          text={{ value: q, placeholder: `Find ${info.title.toLowerCase()}…` }}
          choices={[]}
          change={change}
          clear={() => change("q", undefined)}
        />
      }
    >
      <Loaded query={query} label={info.title}>
        {(data) => (
          <>
            <List items={data.items.filter((item) => matches(item, q))} filtered={q !== undefined} />
            <p className={classes.folders}>Looked in {data.places.join(", ")}</p>
          </>
        )}
      </Loaded>
      {creating && <NewDialog info={info} close={() => setCreating(false)} />}
    </Page>
  );
}

function matches(item: Definition, q: string | undefined): boolean {
  const needle = q?.toLowerCase() ?? "";
  return `${item.name} ${item.description ?? ""} ${item.model ?? ""}`.toLowerCase().includes(needle);
}

function List({ items, filtered }: { items: Definition[]; filtered: boolean }) {
  const info = useKind();
  const navigate = useNavigate();
  const open = (index: number): void => {
    const name = items[index]?.name;
    if (name) void navigate({ to: info.page, params: { name } });
  };
  const [at] = useListKeys({ count: items.length, open, leave: () => void navigate({ to: "/" }) });
  if (items.length === 0) {
    return (
      <EmptyState title={filtered ? `No ${info.one} is called that` : `No ${info.title.toLowerCase()} yet`}>
        {filtered
          ? "Esc or Clear takes the search away."
          : `${info.title} are files that you write and keep; “New ${info.one}” begins one.`}
      </EmptyState>
    );
  }
  return (
    <Panel>
      <ul className={classes.list} aria-label={info.title}>
        {items.map((item, index) => (
          <Row key={item.path} item={item} active={index === at} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ item, active }: { item: Definition; active: boolean }) {
  const info = useKind();
  return (
    <li className={classes.row} data-active={active}>
      <div className={classes.what}>
        <TextLink to={info.page} params={{ name: item.name }} className={classes.name}>
          {item.name}
        </TextLink>
        <div className={item.error ? classes.error : classes.muted}>
          {item.error ?? item.description ?? "no description"}
        </div>
      </div>
      {item.problems.length > 0 && !item.error && (
        <span className={classes.warning}>{plural(item.problems.length, "problem")}</span>
      )}
      {item.shadowed_by && <span className={classes.warning}>hidden by {item.shadowed_by}</span>}
      <span className={classes.muted}>{item.model ?? item.mode}</span>
      <span className={classes.origin}>{item.origin}</span>
    </li>
  );
}
