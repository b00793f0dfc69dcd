import type { Config } from '../config.ts';
import type { HttpLog } from '../http/http-services.ts';
import { openEmbeddedChroma } from '../store/chroma/embedded-chroma.ts';
import { createRemoteChroma } from '../store/chroma/remote-chroma.ts';
import type { VectorIndex } from '../store/vector-index.ts';

interface OpenIndexOptions {
  /** Folder of the embedded Chroma. */
  readonly folder: string;
  readonly cacheFolder: string;
  readonly log: HttpLog;
  /** The embedded Chroma starts when this resolves. */
  readonly startAfter?: Promise<void>;
}

/** The database that has the vectors as well; undefined with a Chroma. */
export const vectorDatabase = ({ vectorIndex, databaseUrl }: Config): string | undefined =>
  vectorIndex === 'pgvector' ? databaseUrl : undefined;

/** What two configurations of the same Chroma have in common. */
export function placeOf({ url, tenant, database }: NonNullable<Config['chroma']>): string {
  const address = new URL(url).href.replace(/\/+$/, '');
  const names = [tenant && `tenant ${tenant}`, database && `database ${database}`].filter(Boolean);
  return names.length === 0 ? address : `${address} (${names.join(', ')})`;
}

/** The vector index of the configuration. */
export async function openIndex(
  config: Config,
  { log, folder, cacheFolder, startAfter }: OpenIndexOptions,
): Promise<VectorIndex> {
  const url = vectorDatabase(config);
  if (url !== undefined) {
    // Loaded only here: without it, commands start faster.
    const { openPgvector } = await import('../store/pgvector/pgvector-index.ts');
    return openPgvector({ url, log });
  }
  const { chroma } = config;
  if (chroma !== undefined) return createRemoteChroma({ ...chroma, log });
  return openEmbeddedChroma({ folder, cacheFolder, log, ...(startAfter && { startAfter }) });
}
