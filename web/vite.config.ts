// How the page is built: one small entry, and what only some pages need in chunks of their own.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const studio = process.env.STUDIO ?? "http://127.0.0.1:8721";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    // The size test reads which files the first page loads.
    manifest: "assets/manifest.json",
    // A data: URL for a small file would be a second kind of source in the content policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // Studio answers only to its own page, so what passes through here says that it comes from there.
    proxy: Object.fromEntries(
      ["/api", "/login", "/healthz"].map((path) => [
        path,
        { target: studio, changeOrigin: true, headers: { origin: studio } },
      ]),
    ),
  },
  test: {
    // A document costs a second; only what draws something gets one.
    projects: [
      { extends: true, test: { name: "plain", environment: "node", include: ["src/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "drawn",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/testing/setup.ts"],
        },
      },
    ],
  },
});
