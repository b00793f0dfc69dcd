import { Client } from 'pg';

/** A PostgreSQL database that holds one corpus. */
export interface CorpusDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export interface DatabaseOptions {
  /** A database of the server; the new one is beside it. */
  readonly url: string;
  readonly corpus: string;
  /** Whether what an earlier run left is used. */
  readonly isKept: boolean;
  /** Whether it gets the extension pgvector. */
  readonly hasVectors?: boolean;
  /** A database that nobody uses, of which a new one is a copy. */
  readonly template?: string;
}

/** Opens the corpus's own database on the server of `url`, and makes it if need be. */
export async function openCorpusDatabase(options: DatabaseOptions): Promise<CorpusDatabase> {
  const { url, corpus, isKept, hasVectors, template } = options;
  const from =
    template === undefined ? "encoding 'UTF8' template template0" : `template ${new URL(template).pathname.slice(1)}`;
  const name = `citewell_corpus_${corpus.replaceAll(/[^a-z0-9]+/gi, '_')}`.toLowerCase().slice(-63);
  const own = new URL(url);
  own.pathname = `/${name}`;
  await withClient(url, async (client) => {
    if (!isKept) await client.query(`drop database if exists ${name} with (force)`);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name} ${from}`);
  });
  if (hasVectors) {
    await withClient(own.href, async (client) => {
      await client.query('create extension if not exists vector').catch((error: Error) => {
        const how = 'scripts/fetch-pgvector.sh gets a server that has it; its user has to be a superuser.';
        throw new Error(`The extension pgvector could not be made in ${name}: ${error.message}. ${how}`);
      });
    });
  }
  return {
    url: own.href,
    drop: () => withClient(url, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

/** Whether databases of the server of `url` can get the extension pgvector. */
export async function hasPgvector(url: string): Promise<boolean> {
  let found = 0;
  await withClient(url, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_available_extensions where name = 'vector'");
    found = rowCount ?? 0;
  });
  return found > 0;
}

async function withClient(url: string, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
