import type { Client } from './client.ts';
import type { Output } from './output.ts';

/** Notes that the corpus is empty when that explains an empty result. Returns true if so. */
export async function noteEmptyCorpus(client: Pick<Client, 'documents'>, output: Output): Promise<boolean> {
  const { total } = await client.documents({ offset: 0, limit: 1 });
  if (total > 0) return false;
  output.note(
    output.noteStyle(
      'yellow',
      'There are no documents yet. Add some: citewell ingest PATH… (files, folders or addresses)',
    ),
  );
  return true;
}
