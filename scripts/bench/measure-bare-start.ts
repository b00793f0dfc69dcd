import { ChromaClient } from 'chromadb';
import { openEmbeddedChroma } from '../../src/store/chroma/embedded-chroma.ts';
import { openUserCache, userCacheFolder } from '../../src/user-cache.ts';
import { timingOf } from './timing.ts';

export interface BareIndex {
  /** Folder of the index, which no server uses. */
  readonly folder: string;
  readonly collectionId: string;
  /** What is searched for. */
  readonly vector: Float32Array;
}

const HITS = 10;

/** Median milliseconds from the start of Chroma's server, alone on the machine, to its first answer to a query. */
export async function measureBareStarts(count: number, index: BareIndex): Promise<number> {
  const took: number[] = [];
  for (let start = 0; start < count; start++) took.push(await measureBareStart(index));
  return timingOf(took).p50;
}

async function measureBareStart({ folder, collectionId, vector }: BareIndex): Promise<number> {
  const cache = openUserCache(userCacheFolder(process.env));
  const log = { info: () => undefined, warn: () => undefined };
  const queryEmbeddings = [Array.from(vector)];
  const startedAt = performance.now();
  const chroma = await openEmbeddedChroma({ folder, cacheFolder: cache.path, log });
  try {
    await chroma.ready();
    if (chroma.server.kind !== 'running') throw new Error(`The server is ${chroma.server.kind}.`);
    const { hostname, port } = new URL(chroma.server.url);
    const client = new ChromaClient({ host: hostname, port: Number(port), ssl: false });
    const { ids } = await client.collection(collectionId).query({ queryEmbeddings, nResults: HITS });
    if (ids[0]?.length !== HITS) throw new Error(`The query found ${ids[0]?.length} instead of ${HITS} chunks.`);
    return performance.now() - startedAt;
  } finally {
    await chroma.close();
  }
}
