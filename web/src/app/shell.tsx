// What surrounds every page: the rail, the palette, the shortcuts, and the way in when this browser is not signed in.
import { ActionIcon, Drawer } from "@mantine/core";
import { useDisclosure, useHotkeys, useMediaQuery } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconMenu2, IconSearch } from "@tabler/icons-react";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { access } from "@/api/auth";
import { useStore } from "@/api/store";
import { useKeys } from "@/ui/keyboard/shortcuts";
import { patiently } from "@/ui/routing/retry";
import { Logo } from "./logo";
import { PLACES } from "./nav-items";
import classes from "./shell.module.css";
import { Rail } from "./sidebar";
import { SignIn } from "./sign-in";

// Loaded after the first page is on the screen: nobody presses a key before that.
const Palette = lazy(patiently(() => import("./command-palette")));
const ShortcutSheet = lazy(patiently(() => import("./shortcut-sheet")));

export function Shell() {
  const signedIn = useStore(access) === "in";
  const [sheet, { open: openSheet, close: closeSheet }] = useDisclosure();
  useJumps(openSheet);
  useHotkeys([["mod+K", spotlight.toggle]], []);
  if (!signedIn) return <SignIn />;
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#main">
        Skip to the page
      </a>
      <Sides openSheet={openSheet} />
      <main id="main" className={classes.main}>
        <Outlet />
      </main>
      <Suspense>
        <Palette openSheet={openSheet} />
        <ShortcutSheet opened={sheet} close={closeSheet} />
      </Suspense>
    </div>
  );
}

function Sides({ openSheet }: { openSheet: () => void }) {
  const narrow = useMediaQuery("(max-width: 820px)", undefined, { getInitialValueInEffect: false });
  const [menu, { open, close }] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The menu has done its work when the page changes.
  useEffect(close, [path]);
  if (!narrow) return <Rail openSheet={openSheet} />;
  return (
    <header className={classes.top}>
      <ActionIcon aria-label="Menu" onClick={open}>
        <IconMenu2 size={18} />
      </ActionIcon>
      <Logo />
      <span className={classes.space} />
      <ActionIcon aria-label="Go to or search" onClick={spotlight.open}>
        <IconSearch size={17} />
      </ActionIcon>
      <Drawer.Root opened={menu} onClose={close} size={240}>
        <Drawer.Overlay backgroundOpacity={0.4} />
        <Drawer.Content aria-label="Menu">
          <Rail openSheet={openSheet} />
        </Drawer.Content>
      </Drawer.Root>
    </header>
  );
}

function useJumps(openSheet: () => void): void {
  const navigate = useNavigate();
  const group = "Everywhere";
  useKeys([
    ...PLACES.map(({ to, name, key }) => ({
      keys: key === "/" ? "/" : `g ${key}`,
      label: key === "/" ? "Search" : `Go to ${name}`,
      group,
      run: () => void navigate({ to }),
    })),
    { keys: "?", label: "Show the shortcuts", group, run: openSheet },
  ]);
}
