// Pages of the sidebar, the command palette and the "g" shortcuts.
import {
  IconBook2,
  IconChartBar,
  IconHome,
  IconPlayerPlay,
  IconPlug,
  IconRobot,
  IconSearch,
  IconServer2,
  IconSettings,
  IconSitemap,
  IconUsers,
} from "@tabler/icons-react";

export const NAV_ITEMS = [
  { to: "/", name: "Home", key: "h", icon: IconHome, inSidebar: true },
  { to: "/shows", name: "Shows", key: "s", icon: IconSitemap, inSidebar: true },
  { to: "/runs", name: "Runs", key: "r", icon: IconPlayerPlay, inSidebar: true },
  { to: "/usage", name: "Usage", key: "u", icon: IconChartBar, inSidebar: true },
  { to: "/teams", name: "Teams", key: "t", icon: IconUsers, inSidebar: true },
  { to: "/agents", name: "Agents", key: "a", icon: IconRobot, inSidebar: true },
  { to: "/playbooks", name: "Playbooks", key: "p", icon: IconBook2, inSidebar: true },
  { to: "/plugins", name: "Plugins", key: "l", icon: IconPlug, inSidebar: true },
  { to: "/admin", name: "Admin", key: "d", icon: IconSettings, inSidebar: true },
  // Last in the sidebar: it appears when the dashboard says that there are workers, and must not move other items.
  { to: "/workers", name: "Workers", key: "w", icon: IconServer2, inSidebar: true },
  { to: "/search", name: "Search", key: "/", icon: IconSearch, inSidebar: false },
] as const;
