import type { Metadata, PageSpan } from '../documents/document.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import { ServiceError } from '../errors.ts';
import { describeDocument } from './describe-document.ts';
import { cleanText } from './readers/clean-text.ts';
import { readDocument } from './readers/index.ts';
import type { ReadDocument } from './readers/reader.ts';
import { sniffText } from './readers/sniff-text.ts';
import { paragraphsOf } from './readers/text.ts';
import { type Passage, type SplitOptions, splitText } from './split-text.ts';

/** One document to be read and split. Plain data, for it travels between threads. */
export interface PreparationJob {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly type: string;
  readonly content:
    | { readonly kind: 'file' | 'text' }
    /** Lengths of the passages that the bytes hold one after another, with a blank line between two. */
    | { readonly kind: 'chunks'; readonly lengths: readonly number[] };
  readonly split: SplitOptions;
  readonly skipSummary: boolean;
}

export interface PreparedDocument {
  readonly text: string;
  readonly pages: readonly PageSpan[];
  readonly title?: string;
  readonly metadata: Metadata;
  readonly passages: readonly Passage[];
  readonly summary: string | null;
  readonly totalTokens: number;
}

/** What stands between two ready-made passages in the text of their document. */
export const PASSAGE_BREAK = '\n\n';

/** From bytes to passages. Throws ServiceError with a reason for the document's record. */
export async function prepareDocument(job: PreparationJob, signal: AbortSignal): Promise<PreparedDocument> {
  const read = await readContent(job, signal);
  const passages =
    job.content.kind === 'chunks' ? readyMade(read.text, job.content.lengths) : splitText(read, job.split);
  if (passages.length === 0) {
    throw new ServiceError('invalid_request', `${job.fileName} holds no text that could be searched.`);
  }
  return {
    text: read.text,
    pages: read.pages,
    ...(read.title === undefined ? {} : { title: read.title }),
    metadata: read.metadata,
    passages,
    summary: job.skipSummary ? null : describeDocument(read),
    totalTokens: estimateTokens(read.text),
  };
}

/** Enough to see whether a text is written in Markdown. */
const SNIFFED_CHARACTERS = 20_000;

async function readContent(
  { bytes, fileName, type, content }: PreparationJob,
  signal: AbortSignal,
): Promise<ReadDocument> {
  if (content.kind === 'file') return readDocument(type, { bytes, fileName, signal });
  const given = new TextDecoder().decode(bytes);
  // Ready-made passages are kept to the letter, as their lengths say where they end.
  const text = content.kind === 'chunks' ? given : cleanText(given);
  if (sniffText(text.slice(0, SNIFFED_CHARACTERS), { named: undefined, isWhole: false }) !== 'md')
    return { text, blocks: paragraphsOf(text), pages: [], metadata: {} };
  const { markdownBlocks } = await import('./readers/markdown.ts');
  return { text, blocks: markdownBlocks(text), pages: [], metadata: {} };
}

function readyMade(text: string, lengths: readonly number[]): Passage[] {
  let start = 0;
  return lengths.map((length, order) => {
    const end = start + length;
    const passage: Passage = { text: text.slice(start, end), order, start, end, page: null, headingPath: [] };
    start = end + PASSAGE_BREAK.length;
    return passage;
  });
}
