// Runs, tokens and cost of the last day, week and month; each line leads to the Usage page.
import { Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { usageSums } from "@/api/usage";
import { compact, formatInteger } from "@/domain/text/format";
import { costText, RANGES, rangeStart, sinceText, tokenKinds } from "@/domain/usage/usage";
import { useNow } from "@/ui/data/use-now";
import { TextLink } from "@/ui/link";
import classes from "./usage-sums.module.css";

const SHOWN = ["24h", "7d", "30d"] as const;

export function UsageSums() {
  const now = new Date(useNow() * 1000);
  const sums = useQuery(usageSums(SHOWN.map((range) => rangeStart(range, now)))).data;
  return (
    <table className={classes.sums}>
      <thead>
        <tr>
          <th>Last</th>
          <th>Runs with usage</th>
          <th>Total tokens</th>
          <th>Cost</th>
        </tr>
      </thead>
      <tbody>
        {SHOWN.map((range, index) => {
          const sum = sums?.[index];
          return (
            <tr key={range}>
              <th scope="row">
                <TextLink to="/usage" search={{ range }}>
                  {RANGES[range]}
                </TextLink>
                <span className={classes.since}>{sinceText(range, now)}</span>
              </th>
              {/* Empty until the numbers arrive: a text that changes its width counts as a layout shift. */}
              <td>{sum && formatInteger(sum.runs)}</td>
              <td>
                {sum && (
                  <Tooltip label={tokenKinds(sum.usage)}>
                    <span>{compact(sum.usage.total)}</span>
                  </Tooltip>
                )}
              </td>
              <td>{sum && costText(sum.usage)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
