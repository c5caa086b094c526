// The head of the list: a click on a column sorts by it, a second one the other way round, a third one newest first.
import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { RunsSearch, Sort } from "@/api/run-list/search";
import { COLUMNS, type Column } from "./columns";
import cells from "./runs.module.css";
import classes from "./runs-header.module.css";

export type ListOrder = Pick<RunsSearch, "sort" | "order">;

interface RunsHeaderProps {
  shown: ReadonlySet<Column>;
  order: ListOrder;
  sortBy: (order: ListOrder) => void;
}

export function RunsHeader({ shown, order, sortBy }: RunsHeaderProps) {
  const head = (name: string, sort: Sort | undefined, column: string, className: string | undefined) => (
    // biome-ignore lint/a11y/useFocusableInteractive: the button inside has the focus
    // biome-ignore lint/a11y/useSemanticElements: the rows below are a virtual list and not a table
    <div
      key={column}
      className={className}
      data-column={column}
      role="columnheader"
      aria-sort={directionOf(sort, order)}
    >
      {sort === undefined ? (
        name
      ) : (
        <UnstyledButton className={classes.sortButton} onClick={() => sortBy(nextOrder(sort, order))}>
          {name}
          <Arrow sort={sort} order={order} />
        </UnstyledButton>
      )}
    </div>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: the same
    <div role="table" aria-label="Order of the runs" className={classes.headerFrame}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: the same */}
      {/* biome-ignore lint/a11y/useSemanticElements: the same */}
      <div className={classes.header} role="row">
        <span className={cells.checkboxCell} />
        {head("Run", "name", "name", cells.nameCell)}
        {COLUMNS.filter(({ key }) => shown.has(key)).map(({ key, name, sort }) => head(name, sort, key, cells.cell))}
        <span className={cells.menuCell} />
      </div>
    </div>
  );
}

function Arrow({ sort, order }: { sort: Sort; order: ListOrder }) {
  const direction = directionOf(sort, order);
  if (direction === "none" || direction === undefined) return null;
  const Icon = direction === "descending" ? IconArrowDown : IconArrowUp;
  return <Icon size={12} aria-hidden />;
}

function directionOf(sort: Sort | undefined, order: ListOrder): "ascending" | "descending" | "none" | undefined {
  if (sort === undefined) return undefined;
  if (sort !== (order.sort ?? "created")) return "none";
  return order.order === "asc" ? "ascending" : "descending";
}

/** The order after a click: names begin at A, numbers and times at the largest. */
export function nextOrder(sort: Sort, current: ListOrder): ListOrder {
  const first = sort === "name" ? "asc" : "desc";
  if (current.sort !== sort && !(sort === "created" && current.sort === undefined)) {
    return first === "asc" ? { sort, order: "asc" } : { sort };
  }
  const isFirst = (current.order ?? "desc") === first;
  if (!isFirst) return {};
  return first === "asc" ? { sort, order: "desc" } : { sort, order: "asc" };
}
