// Sections about a run, each with a link: beside the transcript on wide screens, in a drawer on narrow ones.
import { CloseButton, Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import type { Question } from "@/api/questions";
import { formatInteger } from "@/domain/text/format";
import type { Outline } from "@/domain/transcript/outline";
import { LoadingLine } from "@/ui/feedback/placeholders";
import { TextLink } from "@/ui/link";
import { ALL_CHANGES } from "@/ui/routing/section-hashes";
import { ChangeSums } from "@/ui/text/change-sums";
import { useLatched } from "@/ui/use-latched";
import type { Detail } from "../transcript/segments";
import type { ReadingControl } from "../use-reading";
import { Branches } from "./branches";
import { Changes, useRunChanges } from "./changes";
import { Files } from "./files";
import { Overview } from "./overview";
import { Questions } from "./questions";
import { Raw } from "./raw";
import classes from "./sections.module.css";
import { ToolErrors } from "./tool-errors";

export interface SectionProps {
  detail: Detail;
  outline: Outline | undefined;
  /** Those that are settled, oldest first; the open ones are below the transcript. */
  questions: readonly Question[];
  goTo: (ord: number) => void;
  reading: ReadingControl;
}

type Contents = Omit<SectionProps, "goTo" | "reading">;

interface SectionKind {
  id: string;
  name: string;
  count?: (contents: Contents) => number | undefined;
  body: (props: SectionProps) => ReactNode;
}

const SECTIONS: SectionKind[] = [
  { id: "overview", name: "Overview", body: Overview },
  { id: "questions", name: "Questions", count: ({ questions }) => questions.length, body: Questions },
  { id: "tool-errors", name: "Tool errors", count: ({ outline }) => outline?.errors.length, body: ToolErrors },
  { id: "changes", name: "Changes", body: Changes },
  { id: "branches", name: "Branches", count: ({ detail }) => detail.branches.length, body: Branches },
  { id: "files", name: "Files", count: ({ outline }) => outline?.files.length, body: Files },
  { id: "raw", name: "Raw", body: Raw },
];

/** Most runs ask nothing. */
const sectionsOf = ({ questions }: Contents): SectionKind[] =>
  questions.length > 0 ? SECTIONS : SECTIONS.filter(({ id }) => id !== "questions");

/** In the toolbar of narrow screens, at the top of the sidebar on wide ones. */
export function SectionLinks(props: Contents & { narrow: boolean }) {
  const changes = useRunChanges(props).data;
  if (useIsNarrow() !== props.narrow) return null;
  return (
    <nav className={classes.sectionNav} aria-label="Sections of this run">
      {sectionsOf(props).map(({ id, name, count }) => {
        const itemCount = count?.(props);
        return (
          <TextLink
            key={id}
            to="/runs/$runId"
            params={{ runId: props.detail.session.id }}
            search
            hash={id}
            replace
            data-bad={id === "tool-errors" && (itemCount ?? 0) > 0}
          >
            {name} {itemCount !== undefined && <span className={classes.count}>{formatInteger(itemCount)}</span>}
            {id === "changes" && changes && changes.file_count > 0 && (
              <ChangeSums added={changes.added} removed={changes.removed} partial={changes.is_partial} />
            )}
          </TextLink>
        );
      })}
    </nav>
  );
}

function useIsNarrow(): boolean {
  return useMediaQuery("(max-width: 1080px)", undefined, { getInitialValueInEffect: false });
}

export function Sections({ isLoaded, ...props }: SectionProps & { isLoaded: boolean }) {
  const narrow = useIsNarrow();
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate({ from: "/runs/$runId" });
  const changes = useRunChanges(props);
  // Drawn at once: a section that loads later pushes those below it down.
  const isReady = useLatched(isLoaded && (!changes.isPending || props.outline === undefined));
  useEffect(() => {
    if (!isReady && !narrow) return;
    const section = hash === ALL_CHANGES ? "changes" : hash;
    // A section in the drawer exists only after the drawer has opened.
    const frame = requestAnimationFrame(() => document.getElementById(section)?.scrollIntoView({ block: "start" }));
    return () => cancelAnimationFrame(frame);
  }, [hash, isReady, narrow]);
  if (!narrow)
    return (
      <aside className={classes.sidebar} aria-label="About this run" tabIndex={0}>
        {isReady ? (
          <>
            <div className={classes.sidebarNav}>
              <SectionLinks {...props} narrow={false} />
            </div>
            <SectionList {...props} />
          </>
        ) : (
          <LoadingLine label="sections" />
        )}
      </aside>
    );
  const close = (): void => void navigate({ search: (old) => old, hash: "", replace: true });
  const goTo = (ord: number): void => {
    close();
    props.goTo(ord);
  };
  return (
    <Drawer.Root
      opened={hash === ALL_CHANGES || SECTIONS.some(({ id }) => id === hash)}
      onClose={close}
      position="right"
    >
      <Drawer.Overlay backgroundOpacity={0.4} />
      <Drawer.Content aria-label="About this run">
        <Drawer.Body>
          <CloseButton className={classes.close} aria-label="Close" onClick={close} />
          <SectionList {...props} goTo={goTo} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function SectionList(props: SectionProps) {
  return sectionsOf(props).map(({ id, name, count, body: Body }) => (
    <RunSection key={id} id={id} name={name} count={count?.(props)}>
      <Body {...props} />
    </RunSection>
  ));
}

function RunSection(props: { id: string; name: string; count: number | undefined; children: ReactNode }) {
  return (
    <section id={props.id} className={classes.section} aria-label={props.name}>
      <h2 className={classes.title}>
        {props.name} {props.count !== undefined && <span className={classes.count}>{formatInteger(props.count)}</span>}
      </h2>
      {props.children}
    </section>
  );
}
