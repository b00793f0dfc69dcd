import type { z } from 'zod';
import { allOf, everything, type Filter } from '../../documents/filter.ts';
import type { documentsQuery } from './query.ts';

/** Which documents a list shows: those named, in these stages, of these collections, with these letters in the title. */
export function toListFilter(query: z.output<typeof documentsQuery>): Filter {
  const { ids, ingestion_status: stages, collection_ids: collections, title } = query;
  return allOf(
    ids.length === 0 ? everything : { kind: 'in', field: 'document_id', values: ids },
    stages.length === 0 ? everything : { kind: 'in', field: 'ingestion_status', values: stages },
    collections.length === 0 ? everything : { kind: 'overlap', field: 'collection_ids', values: collections },
    title === '' ? everything : { kind: 'like', field: 'title', pattern: containing(title), caseSensitive: false },
  );
}

/** A pattern for texts with these letters, of which none has a meaning of its own. */
const containing = (letters: string): string => `%${letters.replace(/[\\%_]/g, '\\$&')}%`;
