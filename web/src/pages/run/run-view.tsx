// A loaded run: header, toolbar, timeline, transcript and sections.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { runOutline } from "@/api/messages";
import { createStore } from "@/api/store";
import { Page } from "@/ui/page";
import { FindBar } from "./find-bar";
import { RunActions } from "./header/run-actions";
import { RunFacts } from "./header/run-facts";
import { StatePopover } from "./header/state-popover";
import classes from "./run-view.module.css";
import { SectionLinks, Sections } from "./sections/sections";
import { Timeline } from "./timeline/timeline";
import type { ScrollerHandle } from "./transcript/message-scroller";
import type { Detail } from "./transcript/segments";
import { Transcript } from "./transcript/transcript";
import { useCursor } from "./use-cursor";
import { useRunKeys } from "./use-run-keys";

export function RunView({ detail }: { detail: Detail }) {
  const { session } = detail;
  const [shown, setShown] = useState(false);
  // The server walks the whole run for it, so it waits until the first messages are on the screen.
  const outline = useQuery({ ...runOutline(session.id, useQueryClient()), enabled: shown }).data;
  const list = useRef<ScrollerHandle>(null);
  const [visibleRange] = useState(() => createStore<readonly [number, number]>([0, 0]));
  const show = useCallback((ord: number) => list.current?.show(ord), []);
  const cursor = useCursor(session.id, show);
  const firstError = outline?.errors[0]?.ord;
  useRunKeys({ cursor, outline, list });
  return (
    <Page
      title={session.display_name}
      beside={
        <StatePopover
          detail={detail}
          errors={outline?.errors.length ?? 0}
          goToFirstError={() => firstError !== undefined && cursor.goTo(firstError)}
        />
      }
      actions={<RunActions detail={detail} />}
      bar={<RunFacts detail={detail} />}
      fill
    >
      <div className={classes.columns}>
        <div className={classes.main}>
          <div className={classes.toolbar}>
            <SectionLinks detail={detail} outline={outline} />
            <FindBar runId={session.id} cursor={cursor} />
          </div>
          <Timeline detail={detail} outline={outline} visibleRange={visibleRange} goTo={cursor.goTo} enabled={shown} />
          <Transcript
            detail={detail}
            cursor={cursor}
            list={list}
            visibleRange={visibleRange}
            onShown={() => setShown(true)}
          />
        </div>
        <Sections detail={detail} outline={outline} goTo={cursor.goTo} />
      </div>
    </Page>
  );
}
