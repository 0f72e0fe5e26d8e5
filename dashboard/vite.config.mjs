import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = path => fileURLToPath(new URL(path, import.meta.url));

/** Everything comes from our own origin, as files: the policy of the pages allows neither inline code nor data: urls. */
export default defineConfig({
  root: here('.'),
  base: '/',
  cacheDir: here('../node_modules/.vite-dashboard'),
  build: {
    outDir: here('../dist/dashboard'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // light-dark() of CSS, which both themes are written with.
    target: ['chrome123', 'firefox125', 'safari17.5'],
  },
});
