import type { Document } from '../documents/document.ts';
import { allOf } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { shortLine } from '../shared/text.ts';
import { explainEmptyCorpus } from './explain-empty-corpus.ts';
import { readId } from './short-id.ts';
import type { ToolContext } from './tool-context.ts';

const MAX_SUGGESTIONS = 3;
const FIRST_PAGE = { offset: 0, limit: MAX_SUGGESTIONS };

/** Visible documents, and the citations of earlier results of the same run or session. */
export type VisibleLibrary = Pick<
  ToolContext,
  'library' | 'visible' | 'ingestion' | 'followed' | 'absentTools' | 'cited'
>;

/**
 * Resolves a visible document by identifier, unambiguous prefix, chunk identifier, marker of an earlier result, or unique
 * title. Throws `not_found` with the closest titles, so that a model can correct itself; invisible and missing documents
 * are indistinguishable.
 */
export async function findDocument(given: string, context: VisibleLibrary): Promise<Document> {
  const { library, visible } = context;
  const read = readId(given);
  if (read.kind === 'chunk') return findDocument(read.document, context);
  const cited = read.kind === 'marker' ? context.cited?.(read.number) : undefined;
  if (cited !== undefined) return findDocument(cited.documentId, { library, visible });
  const whole = isUuid(given) ? await documentOf(given, context) : undefined;
  if (whole !== undefined) return whole;
  const { items, total } = isPartOfId(given)
    ? await library.list(allOf(beginsWith(given), visible), FIRST_PAGE)
    : { items: [], total: 0 };
  const [found] = items;
  if (found !== undefined && total === 1) return found;
  if (total > 1) {
    throw new ServiceError(
      'invalid_request',
      `"${given}" is the beginning of ${total} identifiers: ${titlesOf(items)}… Give more characters.`,
    );
  }
  const near = await library.searchDocuments({ text: given, filter: visible, kind: 'full_text', ...FIRST_PAGE });
  const [titled, another] = near.items.filter(({ title }) => title.trim().toLowerCase() === given.trim().toLowerCase());
  if (titled !== undefined && another === undefined) return titled;
  const why =
    near.items.length === 0 ? await explainEmptyCorpus(context) : `Closest by title: ${titlesOf(near.items)}.`;
  const hint = why === undefined ? '' : ` ${why}`;
  throw new ServiceError('not_found', `No document "${given}" is visible here.${hint}`);
}

/** The document, when a chunk identifier was given in place of a document identifier. */
async function documentOf(id: string, context: VisibleLibrary): Promise<Document | undefined> {
  const document = await visibleDocument(id, context);
  if (document !== undefined) return document;
  const [chunk] = await context.library.chunksById([id.toLowerCase()]);
  return chunk && visibleDocument(chunk.documentId, context);
}

/** The document with exactly this identifier, if visible. */
export async function visibleDocument(id: string, { library, visible }: VisibleLibrary): Promise<Document | undefined> {
  const { items } = await library.list(
    allOf({ kind: 'compare', field: 'id', op: 'eq', value: id.toLowerCase() }, visible),
    FIRST_PAGE,
  );
  return items[0];
}

const beginsWith = (start: string) =>
  ({ kind: 'like', field: 'id', pattern: `${start.toLowerCase()}%`, caseSensitive: true }) as const;

// Other characters cannot start an identifier and may be wildcards in a pattern.
const isPartOfId = (text: string): boolean => /^[0-9a-f-]+$/i.test(text) && !isUuid(text);

const titlesOf = (documents: readonly Document[]): string =>
  documents.map(({ id, title }) => `${id} (${shortLine(title)})`).join(', ');
