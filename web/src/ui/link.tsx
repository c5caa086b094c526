// Links, and rows that act as one.
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

export const TextLink = createLink((props: ComponentProps<"a">) => <a {...props} />);

/** A row that is covered by its link. Clicks on elements above the link, such as those with tooltips, follow it too. */
export function ClickableRow(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/noStaticElementInteractions: keyboard users use the link inside
  // biome-ignore lint/a11y/useKeyWithClickEvents: the same
  return <div {...props} onClick={followLink} />;
}

function followLink(event: MouseEvent<HTMLElement>): void {
  const target = event.target as Element;
  if (target.closest("a, button, input, label, [data-control]") || getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  event.currentTarget.querySelector("a")?.dispatchEvent(new window.MouseEvent("click", click));
}
