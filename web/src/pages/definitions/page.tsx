// One definition: as it reads, as it is edited, what it was before, and who used it.
import { Button, SegmentedControl } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type Detail, definition } from "@/api/definitions";
import { Loaded } from "@/ui/feedback/placeholders";
import { useKeys } from "@/ui/keyboard/shortcuts";
import { TextLink } from "@/ui/link";
import { Page } from "@/ui/page";
import { Reading } from "./definition-view";
import classes from "./definitions.module.css";
import { Editing } from "./editor";
import { useKind } from "./kinds";
import { History } from "./version-history";

export function DefinitionPage() {
  const words = useKind();
  const { name } = useParams({ from: words.page });
  const { view } = useSearch({ from: words.page });
  const navigate = useNavigate();
  const query = useQuery(definition(words.kind, name));
  const show = (next: "edit" | "history" | undefined): void =>
    void navigate({ to: words.page, params: { name }, search: next ? { view: next } : {} });
  useKeys([
    { keys: "e", label: "Edit", group: words.title, run: () => show("edit") },
    { keys: "v", label: "Versions", group: words.title, run: () => show("history") },
    {
      keys: "Escape",
      label: "Back",
      group: words.title,
      run: () => (view ? show(undefined) : void navigate({ to: words.list })),
    },
  ]);
  return (
    <Page
      title={name}
      before={
        <TextLink to={words.list} className={classes.back}>
          {words.title}
        </TextLink>
      }
      beside={query.data && <span className={classes.origin}>{query.data.definition.origin}</span>}
      actions={
        <>
          <Button variant="default" leftSection={<IconHistory size={14} />} onClick={() => show("history")}>
            Versions
          </Button>
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={view === "edit" ? "edit" : "read"}
            onChange={(next) => show(next === "edit" ? "edit" : undefined)}
            data={[
              { value: "read", label: "Read" },
              { value: "edit", label: "Edit" },
            ]}
          />
        </>
      }
      fill={view === "edit"}
    >
      <Loaded query={query} what={`The ${words.one}`}>
        {(data: Detail) => (
          <>
            {view === "edit" ? <Editing key={name} detail={data} /> : <Reading detail={data} />}
            {view === "history" && <History detail={data} close={() => show(undefined)} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
