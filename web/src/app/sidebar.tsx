import { Kbd, UnstyledButton } from "@mantine/core";
import { IconKeyboard, IconLogout, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { dashboard } from "@/api/home";
import { openQuestions } from "@/api/questions";
import { signOut } from "@/api/sign-in/sign-in";
import { compact, plural } from "@/domain/text/format";
import { withRetry } from "@/ui/routing/retry";
import { Logo } from "./logo";
import { NAV_ITEMS } from "./nav-items";
import { openPalette } from "./palette/open-palette";
import { NotificationSwitch } from "./question-notifier";
import classes from "./sidebar.module.css";

const ColorSchemeSwitch = lazy(withRetry(() => import("./color-scheme-switch")));
const APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

export function Sidebar({ openSheet }: { openSheet: () => void }) {
  const hasWorkers = useQuery(dashboard()).data?.has_workers ?? false;
  const items = NAV_ITEMS.filter(({ to, inSidebar }) => inSidebar && (to !== "/workers" || hasWorkers));
  return (
    <nav className={classes.sidebar} aria-label="Main">
      <Logo />
      <UnstyledButton className={classes.search} onClick={openPalette}>
        <IconSearch size={14} />
        <span className={classes.grow}>Go to or search</span>
        <Kbd size="xs" data-keyboard>
          {APPLE ? "⌘" : "Ctrl"} K
        </Kbd>
      </UnstyledButton>
      <ul className="plain-list">
        {items.map(({ to, name, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              className={classes.item}
              activeOptions={{ exact: to === "/" }}
              activeProps={{ "data-active": true }}
            >
              <Icon size={16} stroke={1.7} />
              <span className={classes.grow}>{name}</span>
              {name === "Home" && <QuestionCount />}
              {name === "Runs" && <RunningCount />}
            </Link>
          </li>
        ))}
      </ul>
      <div className={classes.grow} />
      <div className={classes.footer}>
        <div className={classes.schemes}>
          <Suspense>
            <ColorSchemeSwitch />
          </Suspense>
        </div>
        <NotificationSwitch />
        <UnstyledButton className={classes.shortcutsButton} data-keyboard onClick={openSheet}>
          <IconKeyboard size={15} stroke={1.7} /> Shortcuts <Kbd size="xs">?</Kbd>
        </UnstyledButton>
        <UnstyledButton className={classes.shortcutsButton} onClick={() => void signOut()}>
          <IconLogout size={15} stroke={1.7} /> Sign out
        </UnstyledButton>
      </div>
    </nav>
  );
}

const useOpenCount = (): number => useQuery(openQuestions()).data?.open ?? 0;

/** Leads to the open questions where the sidebar is hidden. */
export function QuestionLink() {
  const open = useOpenCount();
  if (open === 0) return null;
  return (
    <Link to="/" hash="q" className={classes.badge} data-waiting aria-label={plural(open, "open question")}>
      {compact(open)}
    </Link>
  );
}

function QuestionCount() {
  const open = useOpenCount();
  if (open === 0) return null;
  return (
    <span className={classes.badge} data-waiting title={plural(open, "open question")}>
      {compact(open)}
    </span>
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
