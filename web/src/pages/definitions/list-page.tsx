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
import { useKeys } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { FilterBar } from "@/ui/list/filter-bar";
import { Page, Panel } from "@/ui/page";
import classes from "./definitions.module.css";
import { useKind } from "./kinds";
import { NewDefinition } from "./new-dialog";

export function DefinitionsPage() {
  const words = useKind();
  const { q } = useSearch({ from: words.list });
  const navigate = useNavigate();
  const query = useQuery(definitions(words.kind));
  const [making, setMaking] = useState(false);
  useKeys([{ keys: "c", label: `New ${words.one}`, group: words.title, run: () => setMaking(true) }]);
  const change = (_: string, value: string | undefined): void =>
    void navigate({ to: words.list, search: value ? { q: value } : {}, replace: true });
  return (
    <Page
      title={words.title}
      actions={
        <Button leftSection={<IconPlus size={14} />} onClick={() => setMaking(true)}>
          New {words.one}
        </Button>
      }
      bar={
        <FilterBar
          text={{ value: q, placeholder: `Find ${words.title.toLowerCase()}…` }}
          choices={[]}
          change={change}
          clear={() => change("q", undefined)}
        />
      }
    >
      <Loaded query={query} what={words.title}>
        {(data) => (
          <>
            <List items={data.items.filter((item) => matches(item, q))} filtered={q !== undefined} />
            <p className={classes.places}>Looked in {data.places.join(", ")}</p>
          </>
        )}
      </Loaded>
      {making && <NewDefinition words={words} close={() => setMaking(false)} />}
    </Page>
  );
}

function matches(item: Definition, q: string | undefined): boolean {
  const sought = q?.toLowerCase() ?? "";
  return `${item.name} ${item.description ?? ""} ${item.model ?? ""}`.toLowerCase().includes(sought);
}

function List({ items, filtered }: { items: Definition[]; filtered: boolean }) {
  const words = useKind();
  const navigate = useNavigate();
  const open = (index: number): void => {
    const name = items[index]?.name;
    if (name) void navigate({ to: words.page, params: { name } });
  };
  const [at] = useListKeys({ count: items.length, open, leave: () => void navigate({ to: "/" }) });
  if (items.length === 0) {
    return (
      <EmptyState title={filtered ? `No ${words.one} is called that` : `No ${words.title.toLowerCase()} yet`}>
        {filtered
          ? "Esc or Clear takes the search away."
          : `${words.title} are files that you write and keep; “New ${words.one}” begins one.`}
      </EmptyState>
    );
  }
  return (
    <Panel>
      <ul className={classes.list} aria-label={words.title}>
        {items.map((item, index) => (
          <Row key={item.path} item={item} active={index === at} />
        ))}
      </ul>
    </Panel>
  );
}

function Row({ item, active }: { item: Definition; active: boolean }) {
  const words = useKind();
  return (
    <li className={classes.row} data-active={active}>
      <div className={classes.what}>
        <TextLink to={words.page} params={{ name: item.name }} className={classes.name}>
          {item.name}
        </TextLink>
        <div className={item.error ? classes.bad : classes.dim}>
          {item.error ?? item.description ?? "no description"}
        </div>
      </div>
      {item.problems.length > 0 && !item.error && (
        <span className={classes.warn}>{plural(item.problems.length, "problem")}</span>
      )}
      {item.shadowed_by && <span className={classes.warn}>hidden by {item.shadowed_by}</span>}
      <span className={classes.dim}>{item.model ?? item.mode}</span>
      <span className={classes.origin}>{item.origin}</span>
    </li>
  );
}
