// A run whose facts are here.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
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
  // The whole run is walked for it, so it comes after what one wants to read first.
  const outline = useQuery({ ...runOutline(session.id, useQueryClient()), enabled: shown }).data;
  const list = useRef<ScrollerHandle>(null);
  const [seen] = useState(() => createStore<readonly [number, number]>([0, 0]));
  const cursor = useCursor(session.id, (ord) => list.current?.show(ord));
  useRunKeys({ cursor, outline, list });
  return (
    <Page
      title={session.display_name}
      beside={
        <StatePopover
          detail={detail}
          errors={outline?.errors.length ?? 0}
          go={() => goTo(outline?.errors[0]?.ord)}
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
          <Timeline detail={detail} outline={outline} visibleRange={seen} go={cursor.go} enabled={shown} />
          <Transcript
            detail={detail}
            cursor={cursor}
            list={list}
            visibleRange={seen}
            onShown={() => setShown(true)}
          />
        </div>
        <Sections detail={detail} outline={outline} go={cursor.go} />
      </div>
    </Page>
  );

  function goTo(ord: number | undefined): void {
    if (ord !== undefined) cursor.go(ord);
  }
}
