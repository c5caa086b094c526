// Costs and tokens: short on the page, exact in the tooltip.
import { Tooltip } from "@mantine/core";
import { compact, cost, formatInteger } from "@/domain/text/format";
import { type TokenCounts, totalTokens } from "@/domain/usage/usage";

/** A dash means that the price is unknown, which differs from zero. */
export function Cost({ microusd }: { microusd: number | null | undefined }) {
  if (microusd === null || microusd === undefined) {
    return (
      <Tooltip label="The price of this model is unknown">
        <span>–</span>
      </Tooltip>
    );
  }
  return (
    <Tooltip label={`$${(microusd / 1e6).toFixed(6)}`}>
      <span>{cost(microusd)}</span>
    </Tooltip>
  );
}

/** The sum of all tokens, with a breakdown in the tooltip. */
export function Tokens({ usage }: { usage: TokenCounts }) {
  const all = totalTokens(usage);
  if (all === 0) return <span>–</span>;
  const kinds: [string, number][] = [
    ["input", usage.input_tokens],
    ["output", usage.output_tokens],
    ["cache read", usage.cache_read_tokens],
    ["cache write", usage.cache_write_tokens],
  ];
  return (
    <Tooltip label={kinds.map(([kind, count]) => `${formatInteger(count)} ${kind}`).join(" · ")}>
      <span>{compact(all)}</span>
    </Tooltip>
  );
}
