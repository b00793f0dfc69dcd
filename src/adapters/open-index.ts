import type { Config } from '../config.ts';
import type { HttpLog } from '../http/http-services.ts';
import { withoutFinalSlashes } from '../shared/text.ts';
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

/** URL of the database if it also stores the vectors (pgvector); undefined if Chroma does. */
export const vectorDatabase = ({ vectorIndex, databaseUrl }: Config): string | undefined =>
  vectorIndex === 'pgvector' ? databaseUrl : undefined;

/** Identifies a Chroma database: its URL, tenant and database, without credentials. */
export function placeOf({ url, tenant, database }: NonNullable<Config['chroma']>): string {
  const address = withoutFinalSlashes(new URL(url).href);
  const names = [tenant && `tenant ${tenant}`, database && `database ${database}`].filter(Boolean);
  return names.length === 0 ? address : `${address} (${names.join(', ')})`;
}

/** Opens the configured vector index. */
export async function openIndex(
  config: Config,
  { log, folder, cacheFolder, startAfter }: OpenIndexOptions,
): Promise<VectorIndex> {
  const url = vectorDatabase(config);
  if (url !== undefined) {
    // Loaded on demand, so that commands that do not need it start faster.
    const { openPgvector } = await import('../store/pgvector/pgvector-index.ts');
    return openPgvector({ url, log });
  }
  const { chroma } = config;
  if (chroma !== undefined) return createRemoteChroma({ ...chroma, log });
  return openEmbeddedChroma({ folder, cacheFolder, log, ...(startAfter && { startAfter }) });
}
