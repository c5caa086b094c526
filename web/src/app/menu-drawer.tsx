// The sidebar of narrow screens, over the page.
import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";

interface MenuDrawerProps {
  opened: boolean;
  close: () => void;
  children: ReactNode;
}

export default function MenuDrawer({ opened, close, children }: MenuDrawerProps) {
  return (
    <Drawer.Root opened={opened} onClose={close} size={240}>
      <Drawer.Overlay backgroundOpacity={0.4} />
      <Drawer.Content aria-label="Menu">{children}</Drawer.Content>
    </Drawer.Root>
  );
}
