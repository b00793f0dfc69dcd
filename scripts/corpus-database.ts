import { Client } from 'pg';

/** A PostgreSQL database that holds one corpus. */
export interface CorpusDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

export interface DatabaseOptions {
  /** URL of any database of the server on which the new one is created. */
  readonly url: string;
  readonly corpus: string;
  /** Whether the database of an earlier run is reused. */
  readonly isKept: boolean;
  /** Whether the pgvector extension is installed in the database. */
  readonly hasVectors?: boolean;
  /** URL of a database without connections, which serves as the template of a new one. */
  readonly template?: string;
}

/** Opens the database of a corpus on the server of `url`, creating it if necessary. */
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

/** Whether the pgvector extension is available on the server of `url`. */
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
