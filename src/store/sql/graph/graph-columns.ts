import type { Metadata } from '../../../documents/document.ts';
import type { GraphOrigin, GraphParent, StoredEntity } from '../../graph-records.ts';

/** Maximum number of mentioning chunks listed per row; a common name has thousands. */
export const CHUNKS_NAMED = 200;

/** The columns that rows of entities and of relationships share. */
export interface GraphColumns {
  readonly key: number;
  readonly description: string | null;
  readonly metadata: string | null;
  readonly origin: GraphOrigin;
  readonly mentions: number;
  readonly chunks: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export const storedFields = (
  row: GraphColumns,
  parent: GraphParent,
): Omit<StoredEntity, 'id' | 'name' | 'category'> => ({
  parentId: parent.id.toLowerCase(),
  origin: row.origin,
  description: row.description ?? '',
  metadata: JSON.parse(row.metadata ?? '{}') as Metadata,
  chunkIds: JSON.parse(row.chunks) as string[],
  mentions: row.mentions,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
