// Build: a small entry, and chunks for code that only some pages need.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const studio = process.env.STUDIO ?? "http://127.0.0.1:8721";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2023",
    // Read by the test that limits the size of the first page.
    manifest: "assets/manifest.json",
    // Data URLs would need another source in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Each file costs the browser more than its bytes: what every page needs is one file, and so are the parts
          // that many pages share.
          groups: [
            { name: "app", tags: ["$initial"], test: /^(?!.*(?:index\.html|src[\\/]app[\\/]main\.tsx))/, priority: 2 },
            { name: "shared", minShareCount: 5, priority: 1 },
            { name: "icons", test: /@tabler/, minShareCount: 2 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
  server: {
    // Studio accepts only requests of its own origin.
    proxy: Object.fromEntries(
      ["/api", "/healthz"].map((path) => [path, { target: studio, changeOrigin: true, headers: { origin: studio } }]),
    ),
  },
  test: {
    // jsdom takes a second to start; only component tests need it.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          environment: "node",
          include: ["src/**/*.test.ts"],
          setupFiles: ["src/testing/local-storage.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "component",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/testing/setup.ts"],
        },
      },
    ],
  },
});
