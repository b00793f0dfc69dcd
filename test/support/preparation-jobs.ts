import type { PreparationJob } from '../../src/ingest/preparation-job.ts';

/** A job to read a file with this content. */
export const jobOf = (fileName: string, text: string): PreparationJob => ({
  bytes: new TextEncoder().encode(text),
  fileName,
  type: fileName.split('.').at(-1) ?? 'txt',
  content: { kind: 'file' },
  split: {},
  skipSummary: true,
});

/** Deeply nested lists in a quotation, which take a Markdown parser a minute. */
export const endlessMarkdown = (): string =>
  Array.from({ length: 2_600 }, (_, depth) => `> ${' '.repeat(depth)}- item`).join('\n');
