// Money and tokens: short on the page, exact in the tooltip.
import { Tooltip } from "@mantine/core";
import { compact, cost, formatInteger } from "@/domain/text/format";

/** What something cost; a dash when the price is not known, which is not the same as nothing. */
export function Cost({ microusd }: { microusd: number | null | undefined }) {
  if (microusd === null || microusd === undefined) {
    return (
      <Tooltip label="The price of this model is not known">
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

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
}

/** All tokens in one number, each kind in the tooltip. */
export function Tokens({ usage }: { usage: Usage }) {
  const all = usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  if (all === 0) return <span>–</span>;
  const kinds: [string, number][] = [
    ["input", usage.input_tokens],
    ["output", usage.output_tokens],
    ["read from cache", usage.cache_read_tokens],
    ["written to cache", usage.cache_write_tokens],
  ];
  return (
    <Tooltip label={kinds.map(([kind, count]) => `${formatInteger(count)} ${kind}`).join(" · ")}>
      <span>{compact(all)}</span>
    </Tooltip>
  );
}
