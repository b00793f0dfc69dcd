/**
 * Style of a foreign page in its frame. The frame has no origin from which to load a file, so the style is inline, and
 * the content security policy of the page contains its hash (`PAGE_POLICY`).
 */
export const FRAME_STYLE = [
  ':root{color-scheme:light}',
  'body{margin:1rem auto;max-width:46rem;padding:0 1rem;color:#1b1f24;background:#fff;',
  'font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}',
  'img{max-width:100%}',
  'table{border-collapse:collapse}',
  'td,th{padding:.25rem .6rem;border:1px solid #d5d8d2;text-align:start}',
  'mark{background:#ffe58a}',
  '#quote{position:absolute;margin-top:-40vh;scroll-initial-target:nearest}',
].join('');
