import { z } from 'zod';

const PAGE = 300;
const TIMEOUT_MS = 30_000;

export interface ChromaDatabase {
  readonly url: string;
  readonly tenant: string;
  readonly database: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The names of all collections of a database. Bypasses the client, whose list call loads the embedder of every
 * collection, including those of other programs; the default embedder downloads a model.
 */
export async function listCollectionNames({ url, tenant, database, headers }: ChromaDatabase): Promise<string[]> {
  const names: string[] = [];
  const path = `api/v2/tenants/${encodeURIComponent(tenant)}/databases/${encodeURIComponent(database)}/collections`;
  for (;;) {
    const address = new URL(path, url.endsWith('/') ? url : `${url}/`);
    address.searchParams.set('limit', String(PAGE));
    address.searchParams.set('offset', String(names.length));
    const page = await getPage(address, headers);
    for (const { name } of page) names.push(name);
    if (page.length < PAGE) return names;
  }
}

const collections = z.array(z.object({ name: z.string() }));

async function getPage(address: URL, headers: Readonly<Record<string, string>>): Promise<z.output<typeof collections>> {
  const errors = await import('chromadb');
  const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
    (error: unknown) => {
      throw new errors.ChromaConnectionError('Failed to connect to Chroma', error);
    },
  );
  if (response.status === 401 || response.status === 403) throw new errors.ChromaUnauthorizedError('Unauthorized');
  if (response.status >= 500) throw new errors.ChromaServerError(`${response.status}: ${await response.text()}`);
  if (!response.ok) throw new errors.ChromaClientError(`${response.status}: ${await response.text()}`);
  return collections.parse(await response.json());
}
