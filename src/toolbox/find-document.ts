import type { Document } from '../documents/document.ts';
import { allOf } from '../documents/filter.ts';
import { isUuid } from '../documents/ids.ts';
import { ServiceError } from '../errors.ts';
import type { ToolContext } from './tool-context.ts';

const CLOSEST = 3;

/**
 * The visible document with this identifier or unambiguous beginning of one. Throws `not_found` with the titles that
 * come closest, so that a model can correct itself; a document out of sight is told from a missing one by nothing.
 */
export async function findDocument(given: string, { library, visible }: ToolContext): Promise<Document> {
  const named = isUuid(given)
    ? ({ kind: 'compare', field: 'id', op: 'eq', value: given.toLowerCase() } as const)
    : ({ kind: 'like', field: 'id', pattern: `${escapePattern(given.toLowerCase())}%`, caseSensitive: true } as const);
  const { items, total } = await library.list(allOf(named, visible), { offset: 0, limit: CLOSEST });
  const [found] = items;
  if (found !== undefined && total === 1) return found;
  if (total > 1) {
    const names = items.map((document) => `${document.id} (${document.title})`).join(', ');
    throw new ServiceError('invalid_request', `"${given}" begins ${total} identifiers: ${names}… Give more of it.`);
  }
  const near = await library.searchDocuments({ text: given, filter: visible, limit: CLOSEST, offset: 0 });
  const hint = near.items.map((document) => `${document.id} (${document.title})`).join(', ');
  throw new ServiceError(
    'not_found',
    `No document "${given}" is visible here.${hint === '' ? '' : ` Closest by title: ${hint}.`}`,
  );
}

// An identifier holds neither % nor _, so a pattern character in it can match nothing.
const escapePattern = (text: string): string => text.replaceAll(/[%_]/g, '\u0000');
