import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// Builds the web page into dist/page, from which the HTTP service serves it. The content security policy allows no
// inline scripts or styles, so assets are never inlined.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // For `npm run dev:page` beside a running `npm start`.
  server: {
    proxy: Object.fromEntries(
      ['/v3', '/v1', '/session', '/docs', '/assets/pdf'].map((path) => [path, 'http://127.0.0.1:7272']),
    ),
  },
  build: {
    // `scripts/build.js` sets another folder and copies from there.
    outDir: fileURLToPath(new URL('../../../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
  },
});
