// Highlights every match in the transcript with the CSS Custom Highlight API, without changing the DOM.

const NAME = "found";
// A frame has little time; the other matches are highlighted when they scroll into view.
const MAX_RANGES = 500;

/** Highlights now and whenever the messages change; returns a function that stops it. */
export function highlightText(query: string): () => void {
  const list = document.querySelector('ol[aria-label="Messages"]');
  if (!query || !list || typeof Highlight === "undefined") return () => {};
  let frame = 0;
  const paint = (): void => {
    frame = 0;
    CSS.highlights.set(NAME, new Highlight(...matchRanges(list, query.toLowerCase())));
  };
  const schedule = (): void => {
    frame ||= requestAnimationFrame(paint);
  };
  const watcher = new MutationObserver(schedule);
  watcher.observe(list, { childList: true, subtree: true, characterData: true });
  schedule();
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
