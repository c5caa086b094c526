// Marks every occurrence of a text on the page without touching the page: the browser paints ranges by itself.

const NAME = "found";
// A frame has only so much time; what is not marked now is marked when it is scrolled to.
const MAX_RANGES = 500;

/** Mark the text in the messages now and whenever they change; gives the end of it. */
export function highlightText(query: string): () => void {
  const list = document.querySelector('ol[aria-label="Messages"]');
  if (!query || !list || typeof Highlight === "undefined") return () => {};
  let frame = 0;
  const paint = (): void => {
    frame = 0;
    CSS.highlights.set(NAME, new Highlight(...matchRanges(list, query.toLowerCase())));
  };
  const soon = (): void => {
    frame ||= requestAnimationFrame(paint);
  };
  const watcher = new MutationObserver(soon);
  watcher.observe(list, { childList: true, subtree: true, characterData: true });
  soon();
  return () => {
    watcher.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(NAME);
  };
}

function matchRanges(root: Node, query: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MAX_RANGES; node = walker.nextNode()) {
    const text = node.textContent?.toLowerCase() ?? "";
    for (
      let at = text.indexOf(query);
      at >= 0 && ranges.length < MAX_RANGES;
      at = text.indexOf(query, at + query.length)
    ) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + query.length, node.textContent?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}
