import type { HeadingSpan } from '../documents/document.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import { ServiceError } from '../errors.ts';
import { describeDocument } from './describe-document.ts';
import { CHUNK_BREAK, type PreparationJob, type PreparedDocument } from './preparation-job.ts';
import { cleanText } from './readers/encoding/clean-text.ts';
import { sniffText } from './readers/encoding/sniff-text.ts';
import type { ImageReader } from './readers/image/image-reader.ts';
import { readDocument } from './readers/index.ts';
import { paragraphsOf } from './readers/plain/text.ts';
import type { ReadDocument } from './readers/reader.ts';
import { sectionsOf } from './sections.ts';
import { type SplitChunk, splitText } from './split-text.ts';

export const noText = (fileName: string): ServiceError =>
  new ServiceError('invalid_request', `${fileName} holds no text that could be searched.`);

/** Reads and splits a document. Throws ServiceError with a message for the document's record. */
export async function prepareDocument(
  job: PreparationJob,
  signal: AbortSignal,
  readImage?: ImageReader,
): Promise<PreparedDocument> {
  const read = await readContent(job, signal, readImage && countingImageReader(readImage, job.fileName));
  const chunks =
    job.content.kind === 'chunks' ? chunksOfLengths(read.text, job.content.lengths) : splitText(read, job.split);
  if (chunks.length === 0) throw noText(job.fileName);
  return {
    text: read.text,
    pages: read.pages,
    headings: job.content.kind === 'chunks' ? [] : headingsOf(read),
    ...(read.title === undefined ? {} : { title: read.title }),
    metadata: read.metadata,
    chunks,
    summary: job.skipSummary ? null : describeDocument(read),
    totalTokens: estimateTokens(read.text),
  };
}

const headingsOf = ({ text, blocks }: ReadDocument): HeadingSpan[] =>
  sectionsOf(text, blocks).map(({ start, path }) => ({ start, path }));

const MAX_PICTURES = 500;

/** Limits the number of pictures per document, because each costs seconds or money. */
function countingImageReader(readImage: ImageReader, fileName: string): ImageReader {
  let left = MAX_PICTURES;
  return (picture, signal) => {
    if (--left < 0) {
      throw new ServiceError(
        'too_large',
        `${fileName} holds more than ${MAX_PICTURES} pictures to be read. Split it first.`,
      );
    }
    return readImage(picture, signal);
  };
}

/** Enough to detect whether a text is Markdown. */
const SNIFFED_CHARACTERS = 20_000;

async function readContent(
  { bytes, fileName, type, content }: PreparationJob,
  signal: AbortSignal,
  readImage: ImageReader | undefined,
): Promise<ReadDocument> {
  if (content.kind === 'file') return readDocument(type, { bytes, fileName, signal, ...(readImage && { readImage }) });
  const given = new TextDecoder().decode(bytes);
  // Ready-made chunks stay unchanged, because their lengths determine where they end.
  const text = content.kind === 'chunks' ? given : cleanText(given);
  if (sniffText(text.slice(0, SNIFFED_CHARACTERS), { named: undefined, isWhole: false }) !== 'md')
    return { text, blocks: paragraphsOf(text), pages: [], metadata: {} };
  const { markdownBlocks } = await import('./readers/markdown/markdown.ts');
  return { text, blocks: markdownBlocks(text), pages: [], metadata: {} };
}

function chunksOfLengths(text: string, lengths: readonly number[]): SplitChunk[] {
  let start = 0;
  return lengths.map((length, order) => {
    const end = start + length;
    const chunk: SplitChunk = { text: text.slice(start, end), order, start, end, page: null, headingPath: [] };
    start = end + CHUNK_BREAK.length;
    return chunk;
  });
}
