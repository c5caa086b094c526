// One agent or playbook: view, editor and version history.
import { Button, SegmentedControl } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type Detail, definition } from "@/api/definitions";
import { ApiError } from "@/api/errors";
import { Loaded } from "@/ui/feedback/placeholders";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { NewRunButton } from "@/ui/new-run/new-run-button";
import { Breadcrumb, Page } from "@/ui/page";
import { DefinitionMenu } from "./definition-menu";
import { DefinitionView } from "./definition-view";
import { DeletedDefinition } from "./deleted";
import { DefinitionEditor } from "./editor/editor";
import { useKind } from "./kinds";
import { VersionHistory } from "./version-history";

export function DefinitionPage() {
  const info = useKind();
  const { name } = useParams({ from: info.page });
  const { view } = useSearch({ from: info.page });
  const navigate = useNavigate();
  const query = useQuery(definition(info.kind, name));
  const isMissing = query.data === undefined && query.error instanceof ApiError && query.error.status === 404;
  const show = (next: "edit" | "history" | undefined): void =>
    void navigate({ to: info.page, params: { name }, search: next ? { view: next } : {} });
  useShortcuts([
    { keys: "e", label: "Edit", group: info.title, run: () => show("edit") },
    { keys: "v", label: "Versions", group: info.title, run: () => show("history") },
    {
      keys: "Escape",
      label: "Back",
      group: info.title,
      run: () => (view ? show(undefined) : void navigate({ to: info.list })),
    },
  ]);
  return (
    <Page
      title={name}
      before={<Breadcrumb to={info.list}>{info.title}</Breadcrumb>}
      beside={
        // Takes its place before it is known, so that the title bar does not wrap anew.
        <span className="outline-badge" style={query.data ? undefined : { visibility: "hidden" }}>
          {query.data?.definition.origin ?? "home"}
        </span>
      }
      actions={
        <>
          {!isMissing && !query.data?.definition.error && (
            <NewRunButton request={{ kind: info.kind, target: name }} label="Run…" />
          )}
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
          {query.data ? <DefinitionMenu detail={query.data} /> : <span style={{ width: 28 }} />}
        </>
      }
      fill={view === "edit"}
    >
      {isMissing ? (
        <DeletedDefinition name={name} error={query.error} />
      ) : (
        <Loaded query={query} label={info.one}>
          {(data: Detail) => (
            <>
              {view === "edit" ? <DefinitionEditor key={name} detail={data} /> : <DefinitionView detail={data} />}
              {view === "history" && <VersionHistory detail={data} close={() => show(undefined)} />}
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}
