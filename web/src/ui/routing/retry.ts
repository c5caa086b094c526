// A lazy component must not break the page when the server is down for a moment.

const PAUSE_MS = 1500;

/** Retries `load` until it succeeds. */
export function withRetry<T>(load: () => Promise<T>, pause = PAUSE_MS): () => Promise<T> {
  const attempt = async (): Promise<T> => {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
      return attempt();
    }
  };
  return attempt;
}
