// Parts of the page that come later must not take the page down when the server is away at that moment.

const PAUSE_MS = 1500;

/** Loads something, and tries again until it is there. */
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
