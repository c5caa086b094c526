// A loaded run: header, toolbar, timeline, transcript and sections.
import { useMediaQuery } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { runOutline } from "@/api/messages";
import { allQuestionsOf } from "@/api/questions";
import { createStore } from "@/api/store";
import { isOpen } from "@/domain/questions/outcome";
import { errorOrd } from "@/domain/transcript/outline";
import { isWhole } from "@/domain/transcript/reading";
import { Page } from "@/ui/page";
import { RunLabels } from "@/ui/runs/run-labels";
import { EndCard } from "./end-card";
import { FindBar } from "./find-bar";
import { RunActions } from "./header/run-actions";
import { RunFacts } from "./header/run-facts";
import { StatePopover } from "./header/state-popover";
import { PhoneBar } from "./phone-bar";
import { ReadingChips } from "./reading-chips";
import classes from "./run-view.module.css";
import { SectionLinks, Sections } from "./sections/sections";
import { Talk } from "./talk/talk";
import { Timeline } from "./timeline/timeline";
import type { Detail } from "./transcript/segments";
import { Transcript } from "./transcript/transcript";
import type { ShowHow, TranscriptHandle } from "./transcript/use-transcript-handle";
import { useCursor } from "./use-cursor";
import { useReading } from "./use-reading";
import { useRunKeys } from "./use-run-keys";

export function RunView({ detail }: { detail: Detail }) {
  const { session } = detail;
  const [shown, setShown] = useState(false);
  const reading = useReading();
  // The server walks the whole run for it, so it waits until the first messages are on the screen.
  const enabled = shown || !isWhole(reading);
  const { data: outline, isError: hasNoOutline } = useQuery({ ...runOutline(session.id, useQueryClient()), enabled });
  const askedQuery = useQuery(allQuestionsOf(session.id));
  const asked = askedQuery.data?.questions ?? [];
  const about = { detail, outline, questions: asked.filter((question) => !isOpen(question)) };
  const isAboutLoaded = !askedQuery.isPending && (outline !== undefined || hasNoOutline);
  const list = useRef<TranscriptHandle>(null);
  const [visibleRange] = useState(() => createStore<readonly [number, number]>([0, 0]));
  const show = useCallback((ord: number, how: ShowHow) => list.current?.show(ord, how), []);
  const cursor = useCursor(session.id, show);
  const isPhone = useMediaQuery("(max-width: 640px)", undefined, { getInitialValueInEffect: false });
  const [firstError] = outline?.errors ?? [];
  useRunKeys({ detail, cursor, reading, outline, list });
  const state = (
    <StatePopover
      detail={detail}
      errors={outline?.errors.length ?? 0}
      goToFirstError={() => firstError && cursor.goTo(errorOrd(firstError))}
      facts={isPhone && <RunFacts detail={detail} />}
    />
  );
  return (
    <Page
      title={session.display_name}
      beside={state}
      actions={<RunActions detail={detail} goTo={cursor.goTo} />}
      bar={
        isPhone ? (
          <RunLabels run={session} />
        ) : (
          <RunFacts detail={detail}>
            <RunLabels run={session} />
          </RunFacts>
        )
      }
      fill
    >
      <div className={classes.columns}>
        <div className={classes.main}>
          <div className={classes.toolbar}>
            <SectionLinks {...about} narrow />
            <ReadingChips detail={detail} reading={reading} />
            {!isPhone && <FindBar runId={session.id} cursor={cursor} />}
          </div>
          <Timeline detail={detail} outline={outline} visibleRange={visibleRange} goTo={cursor.goTo} enabled={shown} />
          <Transcript
            detail={detail}
            outline={outline}
            cursor={cursor}
            reading={reading}
            list={list}
            visibleRange={visibleRange}
            onShown={() => setShown(true)}
            end={session.state.outcome === null ? undefined : <EndCard detail={detail} />}
          />
          <Talk detail={detail} cursor={cursor} />
          {isPhone && <PhoneBar detail={detail} cursor={cursor} follow={() => list.current?.follow()} />}
        </div>
        <Sections {...about} isLoaded={isAboutLoaded} goTo={cursor.goTo} reading={reading} />
      </div>
    </Page>
  );
}
