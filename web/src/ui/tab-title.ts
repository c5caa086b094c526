// The title and icon of the tab: the page, and how many questions wait.

const SUFFIX = "Lion Studio";
const ICON = "/favicon.svg";
const WAITING_ICON = "/favicon-waiting.svg";
let page = "";
let waiting = 0;

export function setPageTitle(title: string): void {
  page = title;
  update();
}

export function setWaitingCount(count: number): void {
  waiting = count;
  update();
  document.querySelector('link[rel="icon"]')?.setAttribute("href", count > 0 ? WAITING_ICON : ICON);
}

function update(): void {
  const count = waiting > 0 ? `(${waiting}) ` : "";
  document.title = `${count}${page ? `${page} · ` : ""}${SUFFIX}`;
}
