import { compare } from '../kill-test/checks.ts';
import { type FoundRecords, readIndex, readRecords } from '../kill-test/inspect.ts';
import { chromasOn } from '../kill-test/processes.ts';

/** Reads the stores directly and reports where SQLite, full text, vectors and the vector index disagree. */
export async function disagreements(dataFolder: string): Promise<readonly string[]> {
  const records = readRecords(dataFolder);
  try {
    const visible = new Set([...records.documents.values()].flatMap(({ chunks }) => chunks.map(({ key }) => key)));
    const [chroma] = await chromasOn(dataFolder);
    const index = chroma && (await readIndex(chroma.port, records.collection));
    return [
      ...records.damage,
      ...records.versionProblems,
      ...(records.pending === 0 ? [] : [`The outbox has ${records.pending} entries.`]),
      ...(records.leftovers === 0 ? [] : [`${records.leftovers} passages are staged or of an older version.`]),
      ...compare('The full-text index', records.fullTextKeys, visible),
      ...compare('The table of vectors', new Set(records.vectors.keys()), visible),
      ...(index === undefined ? ['There is no Chroma.'] : compare('Chroma', index.keys, visible)),
      ...misplaced(records),
    ];
  } finally {
    records.close();
  }
}

function misplaced({ documents, vectors, dimensions }: FoundRecords): string[] {
  const complaints: string[] = [];
  for (const { id, chunks, chunkCount, status } of documents.values()) {
    if (status === 'success' && chunks.length !== chunkCount)
      complaints.push(`Document ${id} has ${chunks.length} passages and says ${chunkCount}.`);
  }
  for (const [key, vector] of vectors) {
    if (vector.length !== dimensions) complaints.push(`The vector of passage ${key} has ${vector.length} numbers.`);
  }
  return complaints;
}
