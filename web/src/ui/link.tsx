// A router link in the look of the page, and rows that lead where their link leads.
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

/** A plain link: `<TextLink to="/runs">`. */
export const TextLink = createLink((props: ComponentProps<"a">) => <a {...props} />);

/** A row whose link lies over all of it: what stands above the link, for its tooltip or to be selected, leads there too. */
export function ClickableRow(props: ComponentProps<"div">) {
  // biome-ignore lint/a11y/noStaticElementInteractions: who has no mouse uses the link inside
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
