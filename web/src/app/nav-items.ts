// Where one can go: the rail, the palette and the jumps all read this one list.
import {
  IconBook2,
  IconHome,
  IconPlayerPlay,
  IconPlug,
  IconRobot,
  IconSearch,
  IconSettings,
  IconSitemap,
  IconUsers,
} from "@tabler/icons-react";

export const PLACES = [
  { to: "/", name: "Home", key: "h", icon: IconHome, inRail: false },
  { to: "/shows", name: "Shows", key: "s", icon: IconSitemap, inRail: true },
  { to: "/runs", name: "Runs", key: "r", icon: IconPlayerPlay, inRail: true },
  { to: "/teams", name: "Teams", key: "t", icon: IconUsers, inRail: true },
  { to: "/agents", name: "Agents", key: "a", icon: IconRobot, inRail: true },
  { to: "/playbooks", name: "Playbooks", key: "p", icon: IconBook2, inRail: true },
  { to: "/plugins", name: "Plugins", key: "l", icon: IconPlug, inRail: true },
  { to: "/admin", name: "Admin", key: "d", icon: IconSettings, inRail: true },
  { to: "/search", name: "Search", key: "/", icon: IconSearch, inRail: false },
] as const;
