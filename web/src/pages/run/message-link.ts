// The link to a message, which opens the run there.
import { notifications } from "@mantine/notifications";

export async function copyMessageLink(runId: string, message: number | string): Promise<void> {
  const url = new URL(`/runs/${encodeURIComponent(runId)}`, window.location.origin);
  url.searchParams.set("m", String(message));
  try {
    await navigator.clipboard.writeText(url.href);
    notifications.show({ message: "Link copied", color: "green", withBorder: true });
  } catch {
    notifications.show({
      message: `The browser refused to copy. Link: ${url.href}`,
      color: "yellow",
      withBorder: true,
    });
  }
}
