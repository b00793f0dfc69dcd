import type { Client } from 'pg';
import { ServiceError } from '../errors.ts';
import { errorMessage } from '../shared/error-message.ts';
import type { MigrationSource } from './migration-source.ts';

export interface R2rDatabase {
  readonly url: string;
  /** R2R_PROJECT_NAME of the server. */
  readonly schema: string;
}

const PAGE = 100;
const CONNECT_MS = 10_000;
/** Bytes of a file read per query; the protocol transfers them as hexadecimal text of twice the length. */
const PIECE = 8 * 1024 * 1024;
/** PostgreSQL's error code for a missing large object, as after a restore without large objects. */
const UNDEFINED_OBJECT = '42704';

type Rows = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

type Table = 'users' | 'collections' | 'documents' | 'chunks' | 'files' | 'conversations' | 'messages';

/**
 * Reads R2R's PostgreSQL database without a running R2R: all users with their password hashes, and the content of each.
 * Nothing is written to it. Throws `provider_failed` and `invalid_request`.
 */
export async function openDatabaseSource({ url, schema }: R2rDatabase): Promise<MigrationSource> {
  const client = await connect(url);
  const table = (name: Table): string => `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`;
  let previous: Promise<unknown> = Promise.resolve();
  // A connection executes one query at a time, while several documents are read.
  const rows: Rows = (text, values = []) => {
    const query = previous.then(() => client.query(text, [...values]));
    previous = query.catch(() => undefined);
    return query.then(
      ({ rows }) => rows,
      (error: unknown) => {
        // PostgreSQL's messages contain no secrets.
        throw new ServiceError('provider_failed', `R2R's database did not answer: ${errorMessage(error)}.`, {
          cause: error,
        });
      },
    );
  };
  /** All rows in pages by keyset pagination: the order of identifiers is stable while the database changes. */
  const pages = async function* (name: Table, columns: string): AsyncGenerator<Record<string, unknown>, void> {
    for (let after: unknown = null; ; ) {
      const condition = 'where $1::uuid is null or id > $1::uuid';
      const page = await rows(`select ${columns} from ${table(name)} ${condition} order by id limit ${PAGE}`, [after]);
      yield* page;
      if (page.length < PAGE) return;
      after = page.at(-1)?.['id'];
    }
  };
  const countOf = async (name: Table): Promise<number> =>
    Number((await rows(`select count(*) as count from ${table(name)}`))[0]?.['count']);

  try {
    await checkSchema(rows, schema);
  } catch (error) {
    await client.end();
    throw error;
  }
  const [files] = await rows('select to_regclass($1) is not null as present', [table('files')]);
  return {
    name: `${client.host}:${client.port}/${client.database}, schema ${schema}`,
    hasUsers: true,
    describe: async () => 'all users',
    counts: async () => ({
      user: await countOf('users'),
      collection: await countOf('collections'),
      document: await countOf('documents'),
      conversation: await countOf('conversations'),
    }),
    users: () =>
      pages(
        'users',
        'id, email, hashed_password, is_superuser, is_active, is_verified, name, bio, profile_picture, collection_ids',
      ),
    collections: () => pages('collections', 'id, owner_id, name, description'),
    documents: () =>
      pages(
        'documents',
        'id, owner_id, collection_ids, type as document_type, metadata, title, ingestion_status, ' +
          `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at`,
      ),
    conversations: () => pages('conversations', 'id, user_id as owner_id, name'),
    messagesOf: (id) =>
      rows(
        `select id, content as message, metadata from ${table('messages')} where conversation_id = $1 order by created_at, id`,
        [id],
      ),
    async fileOf(id) {
      if (files?.['present'] !== true) return undefined;
      const [file] = await rows(`select oid, type from ${table('files')} where document_id = $1`, [id]);
      if (file === undefined) return undefined;
      const pieces: Uint8Array[] = [];
      try {
        for (let last = PIECE; last === PIECE; ) {
          const at = pieces.length * PIECE;
          const [content] = await rows('select lo_get($1, $2, $3) as bytes', [file['oid'], at, PIECE]);
          const bytes = content?.['bytes'];
          if (!(bytes instanceof Uint8Array)) return undefined;
          pieces.push(bytes);
          last = bytes.byteLength;
        }
      } catch (error) {
        if (error instanceof ServiceError && Object(error.cause).code === UNDEFINED_OBJECT) return undefined;
        throw error;
      }
      return { bytes: Buffer.concat(pieces), mediaType: String(file['type'] ?? '') };
    },
    async *chunksOf(id) {
      const order = `(metadata->>'chunk_order')::int`;
      yield* await rows(`select text from ${table('chunks')} where document_id = $1 order by ${order}, id`, [id]);
    },
    defaultOwner: async () => '',
    close: () => client.end(),
  };
}

async function connect(url: string): Promise<Client> {
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new ServiceError(
      'invalid_request',
      '--postgres takes an address such as postgres://user:password@localhost:5432/postgres.',
    );
  }
  const { Client: PgClient } = (await import('pg')).default;
  try {
    const client = new PgClient({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
    // Without a listener, losing an idle connection would crash the process; the next query reports it.
    client.on('error', () => {});
    await client.connect();
    await client.query('set default_transaction_read_only = on');
    return client;
  } catch (error) {
    throw new ServiceError('provider_failed', `R2R's database cannot be opened: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
}

async function checkSchema(rows: Rows, schema: string): Promise<void> {
  // The column distinguishes R2R's table from other tables of the same name, such as Citewell's own.
  const found = await rows(
    `select table_schema as schema from information_schema.columns where table_name = 'users' and column_name = 'hashed_password'`,
  );
  const schemas = found.map((row) => String(row['schema']));
  if (schemas.includes(schema)) return checkColumns(rows, schema);
  const others =
    schemas.length > 0 ? `those of ${schemas.join(', ')} are: name one with --schema` : 'no other has them';
  throw new ServiceError('invalid_request', `The tables of R2R 3 are not in the schema "${schema}"; ${others}.`);
}

/** Columns that early versions of R2R 3 lack or name differently. */
const COLUMNS: Readonly<Record<Exclude<Table, 'files'>, readonly string[]>> = {
  users: ['id', 'collection_ids'],
  collections: ['id', 'owner_id'],
  documents: ['id', 'owner_id', 'collection_ids'],
  chunks: ['id', 'document_id', 'text'],
  conversations: ['id', 'user_id', 'name'],
  messages: ['id', 'conversation_id', 'content', 'metadata'],
};

async function checkColumns(rows: Rows, schema: string): Promise<void> {
  const names = `table_name || '.' || column_name`;
  const found = await rows(`select ${names} as name from information_schema.columns where table_schema = $1`, [schema]);
  const present = new Set(found.map(({ name }) => name));
  const wanted = Object.entries(COLUMNS).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`));
  const missing = wanted.filter((name) => !present.has(name));
  if (missing.length === 0) return;
  throw new ServiceError(
    'invalid_request',
    `The tables are those of an older R2R, without ${missing.join(', ')}. Upgrade the database with R2R first, or copy ` +
      'from the running R2R with --url.',
  );
}
