import type { Metadata, PageSpan } from '../documents/document.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import { ServiceError } from '../errors.ts';
import { describeDocument } from './describe-document.ts';
import { cleanText } from './readers/clean-text.ts';
import { readDocument } from './readers/index.ts';
import type { ReadDocument } from './readers/reader.ts';
import type { Sight } from './readers/sight.ts';
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
export async function prepareDocument(
  job: PreparationJob,
  signal: AbortSignal,
  see?: Sight,
): Promise<PreparedDocument> {
  const read = await readContent(job, signal, see && countingSight(see, job.fileName));
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

const MAX_PICTURES = 500;

/** Each picture costs seconds or money, so a document may hold only so many. */
function countingSight(see: Sight, fileName: string): Sight {
  let left = MAX_PICTURES;
  return (picture, signal) => {
    if (--left < 0) {
      throw new ServiceError(
        'too_large',
        `${fileName} holds more than ${MAX_PICTURES} pictures to be read. Split it first.`,
      );
    }
    return see(picture, signal);
  };
}

/** Enough to see whether a text is written in Markdown. */
const SNIFFED_CHARACTERS = 20_000;

async function readContent(
  { bytes, fileName, type, content }: PreparationJob,
  signal: AbortSignal,
  see: Sight | undefined,
): Promise<ReadDocument> {
  if (content.kind === 'file') return readDocument(type, { bytes, fileName, signal, ...(see && { see }) });
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
