// Tokens and cost of a show or a play; a dash for what has not run.
import { Tooltip } from "@mantine/core";
import type { Schema } from "@/api/keys";
import { compact, cost } from "@/domain/text/format";
import { Tokens } from "./amounts";

type Usage = Schema<"UsageView"> | null | undefined;

export function UsageTokens({ usage }: { usage: Usage }) {
  if (!usage) return <span>–</span>;
  const { input, output, cache_read, cache_write } = usage;
  return (
    <Tokens
      usage={{
        input_tokens: input,
        output_tokens: output,
        cache_read_tokens: cache_read,
        cache_write_tokens: cache_write,
      }}
    />
  );
}

/** Costs with an unknown part say so: "$1.20+" is at least that much. */
export function UsageCost({ usage }: { usage: Usage }) {
  if (!usage || usage.total === 0) return <span>–</span>;
  const { cost_microusd: known, unpriced_tokens: unpriced } = usage;
  const note = unpriced > 0 ? `The price of ${compact(unpriced)} tokens is unknown` : undefined;
  const text = known === null ? "–" : `${cost(known)}${unpriced > 0 ? "+" : ""}`;
  return (
    <Tooltip label={note ?? `$${((known ?? 0) / 1e6).toFixed(6)}`}>
      <span>{text}</span>
    </Tooltip>
  );
}
