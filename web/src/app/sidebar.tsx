import { Kbd, UnstyledButton } from "@mantine/core";
import { spotlight } from "@mantine/spotlight";
import { IconKeyboard, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { dashboard } from "@/api/home";
import { compact } from "@/domain/text/format";
import { ColorSchemeSwitch } from "./color-scheme-switch";
import { Logo } from "./logo";
import { NAV_ITEMS } from "./nav-items";
import classes from "./sidebar.module.css";

const APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

export function Sidebar({ openSheet }: { openSheet: () => void }) {
  return (
    <nav className={classes.sidebar} aria-label="Main">
      <Logo />
      <UnstyledButton className={classes.search} onClick={spotlight.open}>
        <IconSearch size={14} />
        <span className={classes.grow}>Go to or search</span>
        <Kbd size="xs">{APPLE ? "⌘" : "Ctrl"} K</Kbd>
      </UnstyledButton>
      <ul className="plain-list">
        {NAV_ITEMS.filter((place) => place.inSidebar).map(({ to, name, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={classes.item} activeProps={{ "data-active": true }}>
              <Icon size={16} stroke={1.7} />
              <span className={classes.grow}>{name}</span>
              {name === "Runs" && <RunningCount />}
            </Link>
          </li>
        ))}
      </ul>
      <div className={classes.grow} />
      <div className={classes.footer}>
        <ColorSchemeSwitch />
        <UnstyledButton className={classes.shortcutsButton} onClick={openSheet}>
          <IconKeyboard size={15} stroke={1.7} /> Shortcuts <Kbd size="xs">?</Kbd>
        </UnstyledButton>
      </div>
    </nav>
  );
}

function RunningCount() {
  const running = useQuery(dashboard()).data?.cards.running ?? 0;
  if (running === 0) return null;
  return (
    <span className={classes.badge} title={`${running} running`}>
      {compact(running)}
    </span>
  );
}
