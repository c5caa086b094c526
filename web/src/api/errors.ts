// The only error of the API: what happened, a hint, and whether a retry may help.
import { withHint } from "@/domain/text/hints";
import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];

export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly hint: string | null = null,
    readonly retryable = false,
    /** The field of the request that caused it. */
    readonly field: string | null = null,
  ) {
    super(detail);
  }
}

export function unreachableError(): ApiError {
  return new ApiError(0, "unreachable", "Cannot reach Studio.", "Is `li studio` running?", true);
}

/** The error of a failed response; tolerates any body. */
export async function toApiError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const detail = problem.detail ?? `Studio responded with ${response.status}.`;
  return new ApiError(
    response.status,
    problem.code ?? "unknown",
    detail,
    problem.hint,
    problem.retryable,
    problem.field,
  );
}

/** The message of any error, with its hint if it has one. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return withHint(error.message, error.hint);
  return error instanceof Error ? error.message : String(error);
}
