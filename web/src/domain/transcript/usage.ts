// The usage of a message: the tokens that the model read and wrote, and the cost. Agents' programs report it.
import { isRecord } from "./message-entry";

export interface MessageUsage {
  /** Tokens that the model read: the size of the conversation. */
  context: number;
  output: number;
  costMicrousd: number | undefined;
}

export function usageOf(metadata: unknown): MessageUsage | undefined {
  const usage = isRecord(metadata) ? metadata.usage : undefined;
  if (!isRecord(usage)) return undefined;
  const count = (name: string): number => {
    const value = usage[name];
    return typeof value === "number" && Number.isFinite(value) ? value : 0;
  };
  const context = count("input_tokens") + count("cache_read_tokens") + count("cache_write_tokens");
  const output = count("output_tokens");
  const costMicrousd = typeof usage.cost_microusd === "number" ? usage.cost_microusd : undefined;
  return context + output === 0 && costMicrousd === undefined ? undefined : { context, output, costMicrousd };
}
