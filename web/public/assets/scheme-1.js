// Before the first paint: the colours the reader chose, so that a dark page never flashes white.
// Served for ever under this name; change the number with the content.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("lion-colour-scheme") || "auto";
  } catch {
    // No storage: as the system says.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
