import type { ChunkText } from '../documents/chunk.ts';
import type { PageSpan } from '../documents/document.ts';
import type { Block, ReadDocument } from './readers/reader.ts';
import { type Section, sectionsOf } from './sections.ts';
import { splitAtParagraphs, splitRecursively, trimSpan } from './split-recursively.ts';
import { type SectionSpan, splitStructure } from './split-structure.ts';

/** A future chunk: `text` equals the document's text from `start` to `end`. */
export interface SplitChunk extends ChunkText {
  /** Context a model wrote for the chunk: used for search, never shown. */
  readonly context?: string;
}

/** Sizes in UTF-16 code units. By default, the text is split by its structure. */
export interface SplitOptions {
  readonly strategy?: SplitStrategy;
  readonly chunkSize?: number;
  readonly chunkOverlap?: number;
}

/** As in R2R, docs/contract.md 6.2: `character` cuts at paragraphs only. `structure` is Citewell's own. */
export type SplitStrategy = 'recursive' | 'character' | 'structure';

const SIZES = { target: 900, maximum: 1_200 };

/** The contract's defaults, for an overlap without a size and a strategy without either. */
const DEFAULT_SIZES = { chunkSize: 1_024, chunkOverlap: 512 } as const;

/** Splits a document into chunks, in order. */
export function splitText(
  document: Pick<ReadDocument, 'text' | 'blocks' | 'pages'>,
  options: SplitOptions = {},
): SplitChunk[] {
  const { text, blocks, pages } = document;
  const sections = sectionsOf(text, blocks);
  const spans = splitsBySize(options)
    ? splitBySize(text, sections, options)
    : splitStructure(text, sections, structureSizes(options));
  const pageAt = follow(pages, (page) => page.start);
  const tableAt = follow(blocks, (block) => block.start);
  return spans
    .flatMap((span) => {
      const trimmed = trimSpan(text, span);
      return trimmed === undefined ? [] : [{ ...trimmed, path: span.path }];
    })
    .map(({ start, end, path }, order): SplitChunk => {
      const header = tableHeader(text, tableAt(start), start);
      return {
        text: text.slice(start, end),
        order,
        start,
        end,
        page: pageOf(pageAt(start)),
        headingPath: header === undefined ? path : [...path, header],
      };
    });
}

const splitsBySize = ({ strategy, chunkSize, chunkOverlap }: SplitOptions): boolean =>
  strategy === undefined ? chunkSize !== undefined || chunkOverlap !== undefined : strategy !== 'structure';

/** A requested size is the maximum. */
const structureSizes = ({ chunkSize }: SplitOptions): typeof SIZES =>
  chunkSize === undefined
    ? SIZES
    : { target: Math.ceil((chunkSize * SIZES.target) / SIZES.maximum), maximum: chunkSize };

function splitBySize(text: string, sections: readonly Section[], options: SplitOptions): SectionSpan[] {
  const sectionAt = follow(sections, (section) => section.start);
  const { strategy, chunkSize = DEFAULT_SIZES.chunkSize } = options;
  const isBare = options.chunkSize === undefined && options.chunkOverlap === undefined;
  const sizes = { chunkSize, chunkOverlap: options.chunkOverlap ?? (isBare ? DEFAULT_SIZES.chunkOverlap : 0) };
  const spans = strategy === 'character' ? splitAtParagraphs(text, sizes) : splitRecursively(text, sizes);
  return spans.map((span) => ({ ...span, path: sectionAt(span.start)?.path ?? [] }));
}

const pageOf = (page: PageSpan | undefined): number | null => page?.number ?? null;

/**
 * Returns a function that finds the last item beginning at or before an offset. It is fast for ascending offsets, with
 * small steps back as for overlaps.
 */
function follow<T>(items: readonly T[], startOf: (item: T) => number): (offset: number) => T | undefined {
  let index = -1;
  const startAt = (at: number): number => {
    const item = items[at];
    return item === undefined ? Number.POSITIVE_INFINITY : startOf(item);
  };
  return (offset) => {
    while (startAt(index + 1) <= offset) index++;
    while (index >= 0 && startAt(index) > offset) index--;
    return items[index];
  };
}

const MARKDOWN_HEADER = /^(\s*\|?.*\|.*)\n\s*\|?\s*:?-{2,}/;
/** Longer headers, e.g. questionnaires', are truncated. */
const MAX_HEADER = 300;

/**
 * The column names `Stop | Price` of the table a chunk begins within, because its rows mean little without them. As
 * part of the heading path they reach embeddings, full text and models, and the chunk stays an exact range of the
 * document.
 */
function tableHeader(text: string, block: Block | undefined, start: number): string | undefined {
  if (block?.kind !== 'table' || start <= block.start || start >= block.end) return undefined;
  const line = MARKDOWN_HEADER.exec(text.slice(block.start, Math.min(block.end, block.start + 4_000)))?.[1];
  const names = line?.split(/(?<!\\)\|/).map((name) => name.replaceAll('\\|', '|').trim());
  const header = names?.filter((name) => name !== '').join(' | ') ?? '';
  return /[\p{L}\p{N}]/u.test(header) ? header.slice(0, MAX_HEADER).toWellFormed() : undefined;
}
