// The panel of the dependency graph; the user can hide it.
import { Button } from "@mantine/core";
import { useElementSize, useLocalStorage } from "@mantine/hooks";
import { lazy, Suspense } from "react";
import type { Show } from "@/api/shows";
import { graphHeight, MAX_FITTED_PLAYS } from "@/domain/shows/graph-size";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import classes from "./show.module.css";

const Graph = lazy(() => import("./graph"));

export interface PlayLinkProps {
  show: Show;
  /** The play under the pointer or the cursor. */
  marked: string | undefined;
  hover: (name: string | undefined) => void;
  open: (name: string) => void;
}

export function GraphPanel(props: PlayLinkProps) {
  const [hidden, setHidden] = useLocalStorage({
    key: "show-graph-hidden",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { ref, width } = useElementSize();
  const count = props.show.plays.length;
  useShortcuts([{ keys: "h", label: "Toggle graph", group: "This show", run: () => setHidden(!hidden) }]);
  if (count === 0) return null;
  return (
    <section className={classes.section} aria-label="Dependency graph">
      <div className={classes.sectionHeader}>
        <h2>Dependency graph</h2>
        {count > MAX_FITTED_PLAYS && !hidden && <span className="muted">Drag to pan</span>}
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setHidden(!hidden)}>
          {hidden ? "Show graph" : "Hide graph"}
        </Button>
      </div>
      {!hidden && (
        <div className={classes.graphPanel} style={{ height: graphHeight(count) }} data-plays={count} ref={ref}>
          <Suspense fallback={<LoadingLine label="graph" />}>
            {width > 0 && <Graph {...props} width={width} />}
          </Suspense>
        </div>
      )}
    </section>
  );
}
