// Find in this run: the number of matches, Enter for the next one, and every match highlighted.
import { ActionIcon, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconChevronDown, IconChevronUp, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { runMatches } from "@/api/messages";
import { formatInteger } from "@/domain/text/format";
import { adjacentOrd } from "@/domain/transcript/chunks";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { highlightText } from "./highlight-text";
import classes from "./run-view.module.css";
import type { Cursor } from "./use-cursor";

interface FindBarProps {
  runId: string;
  cursor: Cursor;
  autoFocus?: boolean;
}

export function FindBar({ runId, cursor, autoFocus = false }: FindBarProps) {
  const { find = "" } = useSearch({ from: "/runs/$runId" });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const [typed, setTyped] = useState(find);
  const input = useRef<HTMLInputElement>(null);
  const updateSearch = useDebouncedCallback((query: string) => {
    void navigate({
      search: ({ find: _, ...old }) => (query ? { ...old, find: query } : old),
      replace: true,
    });
  }, 200);
  const matches = useQuery(runMatches(runId, find)).data;
  const ords = find && matches ? matches.matches.map(({ ord }) => ord) : [];
  const step = (direction: 1 | -1): void => {
    const ord = adjacentOrd(ords, cursor.ord ?? -1, direction);
    if (ord !== undefined) cursor.goTo(ord);
  };
  useEffect(() => highlightText(find), [find]);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);
  useShortcuts([{ keys: "f", label: "Find in this run", group: "This run", run: () => input.current?.select() }]);
  return (
    <search className={classes.findBar}>
      <TextInput
        ref={input}
        aria-label="Find in this run"
        placeholder="Find in this run"
        leftSection={<IconSearch size={14} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          updateSearch(event.currentTarget.value.trim());
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") input.current?.blur();
        }}
      />
      {find && matches && <MatchCount ords={ords} at={cursor.ord} more={matches.has_more} />}
      {ords.length > 0 && (
        <>
          <ActionIcon size="sm" aria-label="Previous match" onClick={() => step(-1)}>
            <IconChevronUp size={15} />
          </ActionIcon>
          <ActionIcon size="sm" aria-label="Next match" onClick={() => step(1)}>
            <IconChevronDown size={15} />
          </ActionIcon>
        </>
      )}
    </search>
  );
}

function MatchCount({ ords, at, more }: { ords: number[]; at: number | undefined; more: boolean }) {
  const position = at === undefined ? -1 : ords.indexOf(at);
  const all = `${formatInteger(ords.length)}${more ? "+" : ""}`;
  return (
    <span className={classes.matchCount} role="status">
      {ords.length === 0 ? "No matches" : position < 0 ? all : `${position + 1} / ${all}`}
    </span>
  );
}
