// Scrolls the transcript by message number: loads the messages around a row first, opens the fold that hides it, and
// shows everything again if the reading modes hide it.
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { foldKey, hidingFold, type RowLayout, visibleRow } from "@/domain/transcript/row-layout";
import { useLatest } from "@/ui/use-latest";
import type { ScrollerHandle } from "./message-scroller";
import type { useMessages } from "./use-messages";
import type { RowView } from "./use-view";

/** A step shows the row of a message; an address opens the fold that hides it; a jump also ends a reading mode that does. */
export type ShowHow = "step" | "address" | "jump";

export interface TranscriptHandle {
  show: (ord: number, how: ShowHow) => void;
  follow: () => void;
  /** The first fully visible message. */
  first: () => number;
  /** The message of the next or previous row. */
  adjacent: (ord: number, step: 1 | -1) => number;
}

// The rows of an opened fold had no height; they get one while they are measured.
const FRAMES_TO_MEASURE = 10;

interface Transcript {
  loaded: ReturnType<typeof useMessages>;
  layouts: ReadonlyMap<number, RowLayout>;
  view: RowView;
  inheritedCount: number;
  open: (key: number) => void;
  clear: () => void;
}

export function useTranscriptHandle(handle: Ref<TranscriptHandle>, transcript: Transcript) {
  const scroller = useRef<ScrollerHandle>(null);
  const latest = useLatest(transcript);
  // The message to show once its row is there: its chunk may be loading, and a reading mode may end first.
  const wanted = useRef<{ row: number; how: ShowHow; frames: number } | undefined>(undefined);
  const scrollTo = (row: number): void => {
    const { layouts, view } = latest.current;
    scroller.current?.show(view.indexOf(visibleRow(layouts, row)));
  };
  // Counts the jumps, so that a later one stops the scrolling of an earlier one.
  const jumps = useRef(0);
  const scrollFor = (row: number, frames: number, jump: number): void => {
    if (jump !== jumps.current) return;
    scrollTo(row);
    if (frames > 0) requestAnimationFrame(() => scrollFor(row, frames - 1, jump));
  };
  const showWanted = (): void => {
    const { layouts, view, open } = latest.current;
    if (!wanted.current || view.isPending) return;
    const { row, how } = wanted.current;
    if (how === "jump" && !view.has(row)) return;
    if (!layouts.has(row)) return;
    const fold = how === "step" ? undefined : hidingFold(layouts, row);
    if (fold !== undefined) {
      wanted.current.frames = FRAMES_TO_MEASURE;
      open(foldKey(fold));
      return;
    }
    const { frames } = wanted.current;
    wanted.current = undefined;
    const jump = jumps.current;
    requestAnimationFrame(() => scrollFor(row, frames, jump));
  };
  useEffect(showWanted);
  useImperativeHandle(handle, () => ({
    show: (ord, how) => {
      const { loaded, view, inheritedCount, clear } = latest.current;
      const row = inheritedCount + Math.max(0, Math.min(ord, loaded.ownCount - 1));
      wanted.current = { row, how, frames: 0 };
      jumps.current += 1;
      const jump = jumps.current;
      if (how === "jump" && !view.isPending && !view.has(row)) clear();
      const settle = (): void => {
        if (jump !== jumps.current) return;
        scrollTo(row);
        showWanted();
      };
      void loaded.fetchAround(row).then(() => requestAnimationFrame(settle));
    },
    follow: () => {
      jumps.current += 1;
      wanted.current = undefined;
      scroller.current?.follow();
    },
    first: () => latest.current.view.rowAt(scroller.current?.first() ?? 0) - latest.current.inheritedCount,
    adjacent: (ord, step) => {
      const { view, layouts, inheritedCount, loaded } = latest.current;
      const count = view.rows?.length ?? loaded.rows;
      let index = view.indexOf(inheritedCount + ord) + step;
      while (index > 0 && index < count - 1 && layouts.get(view.rowAt(index))?.kind === "nested") index += step;
      const row = view.rowAt(Math.max(0, Math.min(count - 1, index)));
      return Math.max(0, visibleRow(layouts, row) - inheritedCount);
    },
  }));
  return scroller;
}
