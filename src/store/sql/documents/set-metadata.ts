import type { Document, Metadata } from '../../../documents/document.ts';
import { addFullText, removeFullText } from '../full-text/full-text-rows.ts';
import type { Queries } from '../vector-spaces/space-rows.ts';
import { readSubmitted } from './document-rows.ts';
import { readOne, requireRow, update } from './ingestions.ts';

export interface MetadataChange {
  readonly id: string;
  readonly metadata: Metadata;
  readonly mode: 'merge' | 'replace';
}

/**
 * Changes a document's metadata and, when it contains `title`, its title, as `title` also sets the title on ingestion.
 * A submission that waits to be published is changed as well.
 */
export async function setMetadata(database: Queries, { id, metadata, mode }: MetadataChange): Promise<Document> {
  const row = await requireRow(database, id);
  const changed = (old: Metadata): Metadata => (mode === 'merge' ? { ...old, ...metadata } : metadata);
  const title = titleIn(metadata);
  const renamed = title === undefined ? {} : { title };
  const submitted = readSubmitted(row);
  const isRenamed = title !== undefined && title !== row.title;
  if (isRenamed) await removeFullText(database, row.key, row.generation);
  await update(database, row.key, {
    ...renamed,
    metadata: JSON.stringify(changed(JSON.parse(row.metadata) as Metadata)),
    submitted: submitted && JSON.stringify({ ...submitted, ...renamed, metadata: changed(submitted.metadata) }),
    ...(isRenamed && { settings: withGivenTitle(row.settings) }),
  });
  if (isRenamed && row.generation > 0) await addFullText(database, row.key, row.generation);
  return readOne(database, id);
}

function titleIn({ title }: Metadata): string | undefined {
  return typeof title === 'string' && title.trim() !== '' ? title : undefined;
}

/** Marks the title as given, so that a title found in the file does not replace it. */
const withGivenTitle = (settings: string): string =>
  JSON.stringify({ ...(JSON.parse(settings) as Metadata), given_title: true });
