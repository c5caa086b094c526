// Opens the command palette, whose code loads later.
import { createStore } from "@/api/store";
import { holdKeys } from "@/ui/keyboard/held-keys";

export const isPaletteOpen = createStore(false);
/** How often it was opened: each time it starts empty, even while the last one fades out. */
export const openings = createStore(0);

export function openPalette(): void {
  holdKeys();
  openings.set(openings.get() + 1);
  isPaletteOpen.set(true);
}

export const togglePalette = (): void => (isPaletteOpen.get() ? isPaletteOpen.set(false) : openPalette());
