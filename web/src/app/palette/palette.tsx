// The command palette: everything with a name, pages and commands. The first result is selected whenever the list changes.
import { Modal } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconFile, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { findNames } from "@/api/search";
import { useStore } from "@/api/store";
import { filePath } from "@/domain/text/file-path";
import { releaseKeys } from "@/ui/keyboard/held-keys";
import { NAV_ITEMS } from "../nav-items";
import { useCommands } from "./commands";
import { fitting, type Item, itemOf, labelOf, type Section } from "./items";
import { isPaletteOpen, openings } from "./open-palette";
import classes from "./palette.module.css";
import { addRecent, keyOf, readRecent } from "./recent";
import { Results } from "./results";

const close = (): void => isPaletteOpen.set(false);

export default function Palette({ openSheet }: { openSheet: () => void }) {
  const opened = useStore(isPaletteOpen);
  const [returnsFocus, setReturnsFocus] = useState(true);
  return (
    <Modal.Root opened={opened} onClose={close} returnFocus={returnsFocus} size={640} yOffset="12vh" centered={false}>
      <Modal.Overlay backgroundOpacity={0.3} />
      <Modal.Content aria-label="Command palette">
        <div className={classes.palette}>
          <Search key={useStore(openings)} opened={opened} openSheet={openSheet} setReturnsFocus={setReturnsFocus} />
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

interface SearchProps {
  opened: boolean;
  openSheet: () => void;
  setReturnsFocus: (returns: boolean) => void;
}

function Search({ opened, openSheet, setReturnsFocus }: SearchProps) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [compared, setCompared] = useState<string>();
  useEffect(() => {
    if (!opened) return;
    field.current?.focus();
    setText(releaseKeys());
    setReturnsFocus(true);
  }, [opened, setReturnsFocus]);
  const typed = text.trim();
  const { sections, isSettled } = useSections(typed, compared, {
    openSheet,
    compare: (runId) => {
      setCompared(runId);
      setText("");
    },
  });
  const items = sections.flatMap((section) => section.items);
  const list = useId();
  const [at, setAt] = useSelected(items);
  const choose = (item: Item | undefined): void => {
    if (!item) return;
    if (item.found) addRecent(item.found);
    setReturnsFocus(!item.focuses);
    if (!item.stays) close();
    item.run();
  };
  const chooseLater = useChooseWhenSettled(typed, isSettled, () => choose(items[0]));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + items.length) % Math.max(1, items.length));
    else if (event.key === "Enter" && isSettled) choose(items[at]);
    else if (event.key === "Enter") chooseLater();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className={classes.search}>
        <IconSearch size={17} stroke={1.6} aria-hidden />
        <input
          ref={field}
          data-autofocus
          role="combobox"
          aria-label="Command palette"
          aria-expanded={items.length > 0}
          aria-controls={list}
          aria-activedescendant={items[at] ? `${list}-${at}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={compared ? "Compare with which run?" : "Go to anything, or run a command…"}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <Results id={list} sections={sections} typed={typed} at={at} choose={choose} isSettled={isSettled} />
    </>
  );
}

interface Handlers {
  openSheet: () => void;
  compare: (runId: string) => void;
}

function useSections(typed: string, compared: string | undefined, handlers: Handlers) {
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(typed, 100);
  const query = useQuery(findNames(asked));
  const commands = useCommands(handlers);
  const isSettled = asked === typed && !query.isPlaceholderData && !query.isPending;
  const named: Section[] = (query.data?.sections ?? []).map(({ kind, names, count, rank }) => ({
    label: typed === "" && kind === "run" ? "Recent runs" : labelOf(kind),
    items: names.map((name) => itemOf(name, navigate)),
    count,
    rank,
  }));
  if (compared !== undefined) {
    const runs = named.filter((section) => section.items[0]?.found?.kind === "run");
    const compare = (item: Item): Item => ({
      ...item,
      run: () => void navigate({ to: "/compare", search: { a: compared, b: item.found?.id ?? "" } }),
    });
    return { sections: runs.map((section) => ({ ...section, items: section.items.map(compare) })), isSettled };
  }
  const pages: Item[] = NAV_ITEMS.map(({ to, name, icon }) => ({
    id: to,
    label: name,
    icon,
    run: () => void navigate({ to }),
  }));
  if (typed === "") {
    const recent = readRecent().map((name) => itemOf(name, navigate));
    const known = new Set(recent.map(({ id }) => id));
    const others = named.map((section) => ({
      ...section,
      items: section.items.filter(({ found }) => !found || !known.has(keyOf(found))).slice(0, 4),
    }));
    const all = [{ label: "Recent", items: recent, count: recent.length, rank: 0 }, ...others];
    const sections = [...all, fitting("Commands", commands, ""), fitting("Go to", pages, "")];
    return { sections: sections.filter(({ items }) => items.length > 0), isSettled };
  }
  const search: Item = {
    id: "search",
    label: `Search messages for “${typed}”`,
    icon: IconSearch,
    run: () => void navigate({ to: "/search", search: { q: typed } }),
  };
  const file = filePath(typed);
  const touched: Item[] = file
    ? [
        {
          id: "file",
          label: `Runs that touched ${file}`,
          icon: IconFile,
          run: () => void navigate({ to: "/search", search: { file } }),
        },
      ]
    : [];
  const files: Section = { label: "Files", items: touched, count: touched.length, rank: -1 };
  const sections = [files, fitting("Go to", pages, typed), fitting("Commands", commands, typed), ...named]
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => a.rank - b.rank);
  return { sections: [...sections, { label: "Search", items: [search], count: 1, rank: 9 }], isSettled };
}

/** The selected index; the first one again whenever other items are listed. */
function useSelected(items: Item[]): [number, (index: number) => void] {
  const listed = items.map(({ id }) => id).join("\n");
  const [selected, setSelected] = useState({ listed, at: 0 });
  return [selected.listed === listed ? selected.at : 0, (at) => setSelected({ listed, at })];
}

/** Enter before the answer has arrived chooses its first item, not that of the list before. */
function useChooseWhenSettled(typed: string, isSettled: boolean, choose: () => void): () => void {
  const waiting = useRef<string>(undefined);
  useEffect(() => {
    if (waiting.current === undefined || (isSettled && waiting.current !== typed)) waiting.current = undefined;
    else if (isSettled) {
      waiting.current = undefined;
      choose();
    }
  });
  return () => {
    waiting.current = typed;
  };
}
