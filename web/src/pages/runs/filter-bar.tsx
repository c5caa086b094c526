// The filters of the list in one bar: a text, the Filter button, and a chip for each filter that is set. The address
// holds them.
import { Button, CloseButton, UnstyledButton } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { apiFilters, type RunsSearch, VALUE_FILTERS, withoutOrder } from "@/api/run-list/search";
import { facets } from "@/api/runs";
import { useShortcuts } from "@/ui/keyboard/shortcuts";
import { TextFilter } from "@/ui/list/filter-bar";
import classes from "./filter.module.css";
import { setFilters, withoutFilter } from "./filter-names";
import { FilterPopover, type Pane } from "./filter-popover";
import { ViewsMenu } from "./views-menu";

export function RunsFilter({ search }: { search: RunsSearch }) {
  const navigate = useNavigate({ from: "/runs" });
  const [pane, setPane] = useState<Pane | undefined>();
  const set = setFilters(search, undefined);
  const isOpen = pane !== undefined;
  // Counting takes a moment on the server, so it waits until the user opens the filters or sets one.
  const counts = useQuery({
    ...facets(withoutOrder(apiFilters(search))),
    enabled: isOpen || set.length > 0,
  }).data;
  const go = (next: RunsSearch, replace = false): void => void navigate({ search: next, replace });
  useShortcuts([{ keys: "f", label: "Filter", group: "This list", run: () => setPane("status") }]);
  return (
    <search className={classes.bar}>
      <TextFilter
        value={search.q}
        placeholder="Filter by name, id, agent, project…"
        // Otherwise each typed letter would be a step in the history.
        change={(q) => go(q === undefined ? withoutFilter(search, "q") : { ...search, q }, true)}
      />
      <FilterPopover
        pane={pane}
        setPane={setPane}
        search={search}
        counts={counts}
        change={go}
        target={
          <Button
            variant="default"
            leftSection={<IconFilter size={14} stroke={1.7} />}
            onClick={() => setPane(isOpen ? undefined : "status")}
          >
            Filter
          </Button>
        }
      />
      <ViewsMenu search={search} go={go} />
      {setFilters(search, counts).map(({ name, label, text }) => (
        <span key={name} className={classes.chip}>
          <UnstyledButton
            className={classes.chipButton}
            title={`${label}: ${text}`}
            onClick={() => setPane(paneOf(name))}
          >
            <span className={classes.chipLabel}>{label}</span> {text}
          </UnstyledButton>
          <CloseButton
            size={18}
            iconSize={13}
            aria-label={`Remove the filter ${label}`}
            onClick={() => go(withoutFilter(search, name))}
          />
        </span>
      ))}
      {(set.length > 0 || search.q) && (
        <Button variant="subtle" color="gray" onClick={() => go({ sort: search.sort, order: search.order })}>
          Clear all
        </Button>
      )}
    </search>
  );
}

function paneOf(name: string): Pane {
  return VALUE_FILTERS.find((filter) => filter === name) ?? "time";
}
