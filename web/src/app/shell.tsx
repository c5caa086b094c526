// What surrounds every page: the rail, the palette, the shortcuts, and the way in when this browser is not signed in.
import { ActionIcon, Drawer } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { access } from "@/api/auth";
import { useStore } from "@/api/store";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { withRetry } from "@/ui/routing/retry";
import { Logo } from "./logo";
import { NAV_ITEMS } from "./nav-items";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar";
import { SignIn } from "./sign-in";

// Loaded after the first page is on the screen: nobody presses a key before that.
const CommandPalette = lazy(withRetry(() => import("./command-palette")));
const ShortcutSheet = lazy(withRetry(() => import("./shortcut-sheet")));

export function Shell() {
  const signedIn = useStore(access) === "in";
  const [sheet, { open: openSheet, close: closeSheet }] = useDisclosure();
  useGlobalShortcuts(openSheet);
  useHotkeys([["mod+K", spotlight.toggle]], []);
  if (!signedIn) return <SignIn />;
  return (
    <div className={classes.shell}>
      <a className={classes.skipLink} href="#main">
        Skip to the page
      </a>
      <Navigation openSheet={openSheet} />
      <main id="main" className={classes.main}>
        <Outlet />
      </main>
      <Suspense>
        <CommandPalette openSheet={openSheet} />
        <ShortcutSheet opened={sheet} close={closeSheet} />
      </Suspense>
    </div>
  );
}

function Navigation({ openSheet }: { openSheet: () => void }) {
  const narrow = useMediaQuery("(max-width: 820px)", undefined, { getInitialValueInEffect: false });
  const [menu, { open, close }] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The menu has done its work when the page changes.
  useEffect(close, [path]);
  if (!narrow) return <Sidebar openSheet={openSheet} />;
  return (
    <header className={classes.topBar}>
      <ActionIcon aria-label="Menu" onClick={open}>
        <IconMenu2 size={18} />
      </ActionIcon>
      <Logo />
      <span className={classes.spacer} />
      <ActionIcon aria-label="Go to or search" onClick={spotlight.open}>
        <IconSearch size={17} />
      </ActionIcon>
      <Drawer.Root opened={menu} onClose={close} size={240}>
        <Drawer.Overlay backgroundOpacity={0.4} />
        <Drawer.Content aria-label="Menu">
          <Sidebar openSheet={openSheet} />
        </Drawer.Content>
      </Drawer.Root>
    </header>
  );
}

function useGlobalShortcuts(openSheet: () => void): void {
  const navigate = useNavigate();
  const group = "Everywhere";
  useShortcuts([
    ...NAV_ITEMS.map(({ to, name, key }) => ({
      keys: key === "/" ? "/" : `g ${key}`,
      label: key === "/" ? "Search" : `Go to ${name}`,
      group,
      run: () => void navigate({ to }),
    })),
    { keys: "?", label: "Show the shortcuts", group, run: openSheet },
  ]);
}
