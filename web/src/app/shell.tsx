// The frame of every page: sidebar, command palette, shortcut sheet, and the sign-in page.
import { ActionIcon } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { signInState } from "@/api/sign-in/auth";
import { useStore } from "@/api/store";
import { ConnectionStatus } from "@/ui/feedback/connection-status";
import { holdKeys } from "@/ui/keyboard/held-keys";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { newRunRequest, openNewRun } from "@/ui/new-run/open-new-run";
import { startedJobs } from "@/ui/new-run/started-jobs";
import { withRetry } from "@/ui/routing/retry";
import { Logo } from "./logo";
import { NAV_ITEMS } from "./nav-items";
import { openPalette, togglePalette } from "./palette/open-palette";
import { QuestionNotifier } from "./question-notifier";
import classes from "./shell.module.css";
import { QuestionLink, Sidebar } from "./sidebar";

// Loaded after the first page is on the screen, because they open on a key press or a click.
const MenuDrawer = lazy(withRetry(() => import("./menu-drawer")));
const Palette = lazy(withRetry(() => import("./palette/palette")));
const SignIn = lazy(withRetry(() => import("./sign-in")));
const StartArea = lazy(withRetry(() => import("@/ui/new-run/start-area")));
const ShortcutSheet = lazy(withRetry(() => import("./shortcut-sheet")));

export function Shell() {
  const signIn = useStore(signInState);
  const [sheet, { open: openSheet, close: closeSheet }] = useDisclosure();
  useGlobalShortcuts(openSheet);
  const isStarting = useStore(newRunRequest) !== undefined;
  const needsStartArea = useStore(startedJobs).length > 0 || isStarting;
  useHotkeys([["mod+K", togglePalette]], []);
  if (signIn !== "signed-in")
    return (
      <Suspense>
        <SignIn reason={signIn} />
      </Suspense>
    );
  return (
    <div className={classes.shell}>
      <a className={classes.skipLink} href="#main">
        Skip to content
      </a>
      <QuestionNotifier />
      <Navigation openSheet={openSheet} />
      <main id="main" className={classes.main}>
        <Outlet />
      </main>
      <Suspense>
        <Palette openSheet={openSheet} />
        {needsStartArea && <StartArea />}
        <ShortcutSheet opened={sheet} close={closeSheet} />
      </Suspense>
    </div>
  );
}

function Navigation({ openSheet }: { openSheet: () => void }) {
  const narrow = useMediaQuery("(max-width: 820px)", undefined, { getInitialValueInEffect: false });
  const path = useRouterState({ select: (state) => state.location.pathname });
  // Belongs to a path, so that navigation closes the menu.
  const [menuPath, setMenuPath] = useState<string>();
  // Stays when it is closed, and gives the focus back.
  const [menuLoads, setMenuLoads] = useState(false);
  const open = (): void => {
    setMenuLoads(true);
    setMenuPath(path);
  };
  const close = (): void => setMenuPath(undefined);
  if (!narrow) return <Sidebar openSheet={openSheet} />;
  return (
    // Not a header: the one of a dialog is a banner too.
    <nav className={classes.topBar} aria-label="Top bar">
      <ActionIcon aria-label="Menu" onClick={open}>
        <IconMenu2 size={18} />
      </ActionIcon>
      <Logo />
      {/* Beside the name it would move when the font arrives. */}
      <span className={classes.spacer} />
      <QuestionLink />
      <ConnectionStatus />
      <ActionIcon aria-label="Go to or search" onClick={openPalette}>
        <IconSearch size={17} />
      </ActionIcon>
      {menuLoads && (
        <Suspense>
          <MenuDrawer opened={menuPath === path} close={close}>
            <Sidebar openSheet={openSheet} />
          </MenuDrawer>
        </Suspense>
      )}
    </nav>
  );
}

/** The page of the search may still load: what is typed meanwhile is for its field. */
function openSearch(go: () => void): void {
  if (window.location.pathname === "/search") {
    document.querySelector<HTMLElement>("main search input")?.focus();
  } else {
    holdKeys();
    go();
  }
}

function useGlobalShortcuts(openSheet: () => void): void {
  const navigate = useNavigate();
  const group = "Everywhere";
  useShortcuts([
    ...NAV_ITEMS.map(({ to, name, key }) => ({
      keys: key === "/" ? "/" : `g ${key}`,
      label: key === "/" ? "Search" : `Go to ${name}`,
      group,
      run: () => (key === "/" ? openSearch(() => void navigate({ to })) : void navigate({ to })),
    })),
    // A page with questions declares it too, and goes to its own ones.
    {
      keys: "q",
      label: "Go to the next question",
      group: "Questions",
      run: () => void navigate({ to: "/", hash: "q" }),
    },
    { keys: "c", label: "New run", group, run: () => openNewRun() },
    { keys: "?", label: "Show shortcuts", group, run: openSheet },
  ]);
}
