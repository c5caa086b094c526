// The one error of the API: what happened, what to do, and whether trying again may help.
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
  ) {
    super(detail);
  }
}

/** The server did not answer at all. */
export function unreachableError(): ApiError {
  return new ApiError(0, "unreachable", "Studio does not answer.", "Is `li studio` still running?", true);
}

/** An answer that is not a success, whatever its body turns out to be. */
export async function toApiError(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const detail = problem.detail ?? `Studio answered ${response.status}.`;
  return new ApiError(response.status, problem.code ?? "unknown", detail, problem.hint, problem.retryable);
}
