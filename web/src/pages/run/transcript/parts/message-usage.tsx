// The context that the model read for a message, and its cost.
import { compact, cost, formatInteger } from "@/domain/text/format";
import { usageOf } from "@/domain/transcript/usage";
import classes from "./row-aside.module.css";

export function MessageUsage({ metadata }: { metadata: unknown }) {
  const usage = usageOf(metadata);
  if (!usage) return null;
  const { context, output, costMicrousd } = usage;
  const title = [
    `Context: ${formatInteger(context)} tokens`,
    `written: ${formatInteger(output)} tokens`,
    ...(costMicrousd === undefined ? [] : [`cost: $${(costMicrousd / 1e6).toFixed(6)}`]),
  ].join(" · ");
  return (
    <span className={classes.usage} title={title}>
      {context > 0 && compact(context)}
      {costMicrousd !== undefined && costMicrousd > 0 && ` ${cost(costMicrousd)}`}
    </span>
  );
}
