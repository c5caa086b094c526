// The items of the palette: where each leads, its icon, and the sections in the order of their best match.
import {
  type Icon,
  IconBook2,
  IconFolder,
  IconPlayerPlay,
  IconRobot,
  IconSitemap,
  IconTargetArrow,
  IconUsers,
} from "@tabler/icons-react";
import type { useNavigate } from "@tanstack/react-router";
import type { FoundName } from "@/api/search";
import { rankName } from "@/domain/rank-name";
import { keyOf } from "./recent";

export interface Item {
  id: string;
  label: string;
  about?: string | undefined;
  icon: Icon;
  state?: FoundName["state"];
  /** More words that find it. */
  words?: string;
  run: () => void;
  /** The palette stays open after it. */
  stays?: boolean;
  /** It sets the focus; otherwise what had it before the palette gets it back. */
  focuses?: boolean;
  found?: FoundName;
}

export interface Section {
  label: string;
  items: Item[];
  /** All that fit; more than the listed ones. */
  count: number;
  rank: number;
}

const KINDS: Record<FoundName["kind"], { label: string; icon: Icon }> = {
  run: { label: "Runs", icon: IconPlayerPlay },
  show: { label: "Shows", icon: IconSitemap },
  play: { label: "Plays", icon: IconTargetArrow },
  team: { label: "Teams", icon: IconUsers },
  agent: { label: "Agents", icon: IconRobot },
  playbook: { label: "Playbooks", icon: IconBook2 },
  project: { label: "Projects", icon: IconFolder },
};

type Navigate = ReturnType<typeof useNavigate>;

export const labelOf = (kind: string): string => KINDS[kind as FoundName["kind"]]?.label ?? kind;

export function itemOf(found: FoundName, navigate: Navigate): Item {
  return {
    id: keyOf(found),
    label: found.name,
    about: found.about ?? undefined,
    icon: KINDS[found.kind]?.icon ?? IconPlayerPlay,
    state: found.state,
    run: () => void open(found, navigate),
    found,
  };
}

function open({ kind, id, topic }: FoundName, navigate: Navigate): Promise<void> {
  switch (kind) {
    case "run":
      return navigate({ to: "/runs/$runId", params: { runId: id } });
    case "show":
      return navigate({ to: "/shows/$topic", params: { topic: id } });
    case "play":
      return navigate({ to: "/shows/$topic", params: { topic: topic ?? "" }, search: { play: id } });
    case "team":
      return navigate({ to: "/teams/$teamId", params: { teamId: id } });
    case "agent":
      return navigate({ to: "/agents/$name", params: { name: id } });
    case "playbook":
      return navigate({ to: "/playbooks/$name", params: { name: id } });
    case "project":
      return navigate({ to: "/runs", search: { project: id } as never });
  }
}

/** The items whose label or words fit, the best first; all of them when nothing is typed. */
export function fitting(label: string, items: Item[], typed: string): Section {
  if (typed === "") return { label, items, count: items.length, rank: 9 };
  const ranked = items
    .map((item) => ({
      item,
      rank: rankName(item.label, typed) ?? (rankName(item.words ?? "", typed) !== undefined ? 3 : undefined),
    }))
    .filter((entry): entry is { item: Item; rank: number } => entry.rank !== undefined)
    .sort((a, b) => a.rank - b.rank);
  return { label, items: ranked.map(({ item }) => item), count: ranked.length, rank: ranked[0]?.rank ?? 9 };
}
