// The command palette: pages, runs and commands.
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData, type SpotlightActionGroupData } from "@mantine/spotlight";
import { IconKeyboard, IconMoon, IconPlayerPlay, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { newestRuns } from "@/api/runs";
import { shortId } from "@/domain/runs/short-id";
import { NAV_ITEMS } from "./nav-items";

export default function CommandPalette({ openSheet }: { openSheet: () => void }) {
  const [typed, setTyped] = useState("");
  const groups: SpotlightActionGroupData[] = [
    { group: "Go to", actions: useNavActions() },
    { group: "Runs", actions: useRunActions(typed) },
    { group: "Commands", actions: useCommands(typed, openSheet) },
  ];
  return (
    <Spotlight
      actions={groups}
      query={typed}
      onQueryChange={setTyped}
      // The shell handles the shortcut, because this component loads later.
      shortcut={null}
      overlayProps={{ backgroundOpacity: 0.3, blur: 0 }}
      nothingFound="No results"
      highlightQuery
      limit={14}
      scrollable
      maxHeight={420}
      searchProps={{
        leftSection: <IconSearch size={17} stroke={1.6} />,
        placeholder: "Go to a page or run, or run a command…",
        "aria-label": "Command palette",
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
    label: run.display_name,
    description: `${run.state.label} · ${run.project ?? run.name ?? ""} · ${shortId(run.id)}`,
    // The server also matches other fields, so the palette must not filter by label.
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
      label: "Toggle dark mode",
      leftSection: <IconMoon size={16} stroke={1.6} />,
      onClick: toggleColorScheme,
    },
    {
      id: "shortcuts",
      label: "Show shortcuts",
      leftSection: <IconKeyboard size={16} stroke={1.6} />,
      onClick: openSheet,
    },
  ];
}
