import type { Document } from '../documents/document.ts';
import { allOf } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import { oneLine } from './render-passages.ts';
import type { ToolContext } from './tool-context.ts';

const CLOSEST = 3;
const FIRST = { offset: 0, limit: CLOSEST };

type Sight = Pick<ToolContext, 'library' | 'visible'>;

/**
 * The visible document with this identifier or unambiguous beginning of one. Throws `not_found` with the titles that
 * come closest, so that a model can correct itself; a document out of sight is told from a missing one by nothing.
 */
export async function findDocument(given: string, { library, visible }: Sight): Promise<Document> {
  const whole = isUuid(given) ? await visibleDocument(given, { library, visible }) : undefined;
  if (whole !== undefined) return whole;
  const { items, total } = isPartOfId(given)
    ? await library.list(allOf(beginsWith(given), visible), FIRST)
    : { items: [], total: 0 };
  const [found] = items;
  if (found !== undefined && total === 1) return found;
  if (total > 1) {
    throw new ServiceError(
      'invalid_request',
      `"${given}" begins ${total} identifiers: ${named(items)}… Give more of it.`,
    );
  }
  const near = await library.searchDocuments({ text: given, filter: visible, kind: 'full_text', ...FIRST });
  const hint = near.items.length === 0 ? '' : ` Closest by title: ${named(near.items)}.`;
  throw new ServiceError('not_found', `No document "${given}" is visible here.${hint}`);
}

/** The document with exactly this identifier, if it may be seen. */
export async function visibleDocument(id: string, { library, visible }: Sight): Promise<Document | undefined> {
  const { items } = await library.list(
    allOf({ kind: 'compare', field: 'id', op: 'eq', value: id.toLowerCase() }, visible),
    FIRST,
  );
  return items[0];
}

const beginsWith = (start: string) =>
  ({ kind: 'like', field: 'id', pattern: `${start.toLowerCase()}%`, caseSensitive: true }) as const;

// Anything else cannot begin an identifier, and could mean something in a pattern.
const isPartOfId = (text: string): boolean => /^[0-9a-f-]+$/i.test(text) && !isUuid(text);

const named = (documents: readonly Document[]): string =>
  documents.map(({ id, title }) => `${id} (${oneLine(title)})`).join(', ');
