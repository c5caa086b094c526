// Sections about a run, each with a link: beside the transcript on wide screens, in a drawer on narrow ones.
import { CloseButton, Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { formatInteger } from "@/domain/text/format";
import type { Outline } from "@/domain/transcript/outline";
import { TextLink } from "@/ui/link";
import type { Detail } from "../transcript/segments";
import { Branches } from "./branches";
import { Files } from "./files";
import { Overview } from "./overview";
import { Raw } from "./raw";
import classes from "./sections.module.css";
import { ToolErrors } from "./tool-errors";

export interface SectionProps {
  detail: Detail;
  outline: Outline | undefined;
  goTo: (ord: number) => void;
}

const SECTIONS = [
  { id: "overview", name: "Overview", count: () => undefined, body: Overview },
  {
    id: "tool-errors",
    name: "Tool errors",
    count: (_: Detail, outline?: Outline) => outline?.errors.length,
    body: ToolErrors,
  },
  { id: "branches", name: "Branches", count: (detail: Detail) => detail.branches.length, body: Branches },
  { id: "files", name: "Files", count: (_: Detail, outline?: Outline) => outline?.files.length, body: Files },
  { id: "raw", name: "Raw", count: () => undefined, body: Raw },
];

export function SectionLinks({ detail, outline }: { detail: Detail; outline: Outline | undefined }) {
  return (
    <nav className={classes.sectionNav} aria-label="Sections of this run">
      {SECTIONS.map(({ id, name, count }) => {
        const itemCount = count(detail, outline);
        return (
          <TextLink
            key={id}
            to="/runs/$runId"
            params={{ runId: detail.session.id }}
            search={(old) => old}
            hash={id}
            replace
            data-bad={id === "tool-errors" && (itemCount ?? 0) > 0}
          >
            {name} {itemCount !== undefined && <span className={classes.count}>{formatInteger(itemCount)}</span>}
          </TextLink>
        );
      })}
    </nav>
  );
}

export function Sections(props: SectionProps) {
  const narrow = useMediaQuery("(max-width: 1080px)", undefined, { getInitialValueInEffect: false });
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate({ from: "/runs/$runId" });
  useEffect(() => {
    // A section in the drawer exists only after the drawer has opened.
    const frame = requestAnimationFrame(() => document.getElementById(hash)?.scrollIntoView({ block: "start" }));
    return () => cancelAnimationFrame(frame);
  }, [hash]);
  if (!narrow)
    return (
      <aside className={classes.sidebar} aria-label="About this run" tabIndex={0}>
        <SectionList {...props} />
      </aside>
    );
  const close = (): void => void navigate({ search: (old) => old, hash: "", replace: true });
  const goTo = (ord: number): void => {
    close();
    props.goTo(ord);
  };
  return (
    <Drawer.Root opened={SECTIONS.some(({ id }) => id === hash)} onClose={close} position="right">
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
  return SECTIONS.map(({ id, name, count, body: Body }) => (
    <RunSection key={id} id={id} name={name} count={count(props.detail, props.outline)}>
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
