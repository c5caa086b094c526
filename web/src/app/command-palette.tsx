// Ctrl-K: go to anything, do anything. Places at once, runs and messages as one types.
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconKeyboard, IconMoon, IconPlayerPlay, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { newestRuns } from "@/api/runs";
import { runName, shortId } from "@/domain/runs/run-name";
import { NAV_ITEMS } from "./nav-items";

export default function CommandPalette({ openSheet }: { openSheet: () => void }) {
  const [typed, setTyped] = useState("");
  const groups: SpotlightActionGroupData[] = [
    { group: "Go to", actions: useNavActions() },
    { group: "Runs", actions: useRunActions(typed) },
    { group: "Do", actions: useCommands(typed, openSheet) },
  ];
  return (
    <Spotlight
      actions={groups}
      query={typed}
      onQueryChange={setTyped}
      // The shell listens for it: the keys may be pressed before this is loaded.
      shortcut={null}
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      nothingFound="Nothing is called that"
      highlightQuery
      limit={14}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={17} stroke={1.6} />,
        placeholder: "Go to a page or a run, or do something…",
        "aria-label": "Go to or do",
      }}
    />
  );
}

function useNavActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  return NAV_ITEMS.map(({ to, name, icon: Icon }) => ({
    id: to,
    label: name,
    leftSection: <Icon size={16} stroke={1.6} />,
    onClick: () => void navigate({ to }),
  }));
}

function useRunActions(typed: string): SpotlightActionData[] {
  const [query] = useDebouncedValue(typed.trim(), 150);
  const navigate = useNavigate();
  const runs = useQuery({
    ...newestRuns({ q: query }),
    enabled: query.length > 1,
    placeholderData: keepPreviousData,
  });
  if (typed.trim().length < 2) return [];
  return (runs.data?.runs ?? []).slice(0, 6).map((run) => ({
    id: run.id,
    label: runName(run),
    description: `${run.state.label} · ${run.project ?? run.name ?? ""} · ${shortId(run.id)}`,
    // The server found it by more than its name, so the palette must not filter it again.
    keywords: typed,
    leftSection: <IconPlayerPlay size={16} stroke={1.6} />,
    onClick: () => void navigate({ to: "/runs/$runId", params: { runId: run.id } }),
  }));
}

function useCommands(typed: string, openSheet: () => void): SpotlightActionData[] {
  const navigate = useNavigate();
  const { toggleColorScheme } = useMantineColorScheme();
  const query = typed.trim();
  const search = { id: "search", label: `Search messages for “${query}”`, keywords: typed };
  const searchIcon = <IconSearch size={16} stroke={1.6} />;
  return [
    ...(query
      ? [
          {
            ...search,
            leftSection: searchIcon,
            onClick: () => void navigate({ to: "/search", search: { q: query } }),
          },
        ]
      : []),
    {
      id: "colours",
      label: "Switch between light and dark",
      leftSection: <IconMoon size={16} stroke={1.6} />,
      onClick: toggleColorScheme,
    },
    {
      id: "shortcuts",
      label: "Show the shortcuts",
      leftSection: <IconKeyboard size={16} stroke={1.6} />,
      onClick: openSheet,
    },
  ];
}
