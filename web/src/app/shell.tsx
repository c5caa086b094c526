// The frame of every page: sidebar, command palette, shortcut sheet, and the sign-in page.
import { ActionIcon, Drawer } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { signedIn } from "@/api/auth";
import { useStore } from "@/api/store";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { withRetry } from "@/ui/routing/retry";
import { Logo } from "./logo";
import { NAV_ITEMS } from "./nav-items";
import classes from "./shell.module.css";
import { Sidebar } from "./sidebar";
import { SignIn } from "./sign-in";

// Loaded after the first page is on the screen, because they open on a key press.
const CommandPalette = lazy(withRetry(() => import("./command-palette")));
const ShortcutSheet = lazy(withRetry(() => import("./shortcut-sheet")));

export function Shell() {
  const isSignedIn = useStore(signedIn);
  const [sheet, { open: openSheet, close: closeSheet }] = useDisclosure();
  useGlobalShortcuts(openSheet);
  useHotkeys([["mod+K", spotlight.toggle]], []);
  if (!isSignedIn) return <SignIn />;
  return (
    <div className={classes.shell}>
      <a className={classes.skipLink} href="#main">
        Skip to content
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
  const path = useRouterState({ select: (state) => state.location.pathname });
  // Belongs to a path, so that navigation closes the menu.
  const [menuPath, setMenuPath] = useState<string>();
  const close = (): void => setMenuPath(undefined);
  if (!narrow) return <Sidebar openSheet={openSheet} />;
  return (
    <header className={classes.topBar}>
      <ActionIcon aria-label="Menu" onClick={() => setMenuPath(path)}>
        <IconMenu2 size={18} />
      </ActionIcon>
      <Logo />
      <span className={classes.spacer} />
      <ActionIcon aria-label="Go to or search" onClick={spotlight.open}>
        <IconSearch size={17} />
      </ActionIcon>
      <Drawer.Root opened={menuPath === path} onClose={close} size={240}>
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
    { keys: "?", label: "Show shortcuts", group, run: openSheet },
  ]);
}
