// The number of runs that the filters leave, with their tokens and costs.
import { useQuery } from "@tanstack/react-query";
import { totals } from "@/api/run-list/labels";
import { apiFilters, type RunsSearch, withoutOrder } from "@/api/run-list/search";
import { compact, cost, formatInteger } from "@/domain/text/format";
import classes from "./list-totals.module.css";

export function ListTotals({ search }: { search: RunsSearch }) {
  const sums = useQuery(totals(withoutOrder(apiFilters(search)))).data;
  // Takes its place before the sums arrive.
  if (!sums) return <span className={classes.totals} />;
  const { runs, more, all_runs, tokens, cost_microusd } = sums;
  const number = `${formatInteger(runs)}${more ? "+" : ""}`;
  const atLeast = more ? "at least " : "";
  const facts = [
    runs === all_runs || (more && !isFiltered(search))
      ? formatInteger(all_runs)
      : `${number} of ${formatInteger(all_runs)}`,
    ...(tokens > 0 ? [`${atLeast}${compact(tokens)} tokens`] : []),
    ...(cost_microusd ? [`${atLeast}${cost(cost_microusd)}`] : []),
  ];
  return (
    <span className={classes.totals} role="status" aria-label="Totals">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </span>
  );
}

export function isFiltered({ sort: _, order: __, ...filters }: RunsSearch): boolean {
  return Object.keys(filters).length > 0;
}
