import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { defaultCollectionId } from '../../src/documents/ids.ts';

interface R2rSize {
  readonly documents: number;
  readonly chunksPerDocument: number;
  readonly dimensions: number;
  readonly users: number;
  readonly conversations: number;
  readonly messagesPerConversation: number;
}

/** What must be there after the migration. */
export interface R2rCounts {
  readonly users: number;
  readonly collections: number;
  readonly documents: number;
  readonly conversations: number;
  readonly messages: number;
}

/** Shared collections. Each user is a member of some of them. */
const SHARED = 20;
const SHARED_PER_USER = 3;
/** Different vectors; each is the vector of many chunks. */
const VECTORS = 100;
/** The password of all users. Its hash is that of a user of the fixture. */
export const PASSWORD = 'analytical engine';
const SOURCE_OF_HASH = 'Ada@example.org';

/** E-mail address of a user. */
export const emailOf = (number: number): string => `user-${number}@example.org`;

/** The sentence of a document that no other document has. */
export const sentenceOf = (number: number): string => `The ledger ${number} lists ${(number * 7919) % 100_003} crates.`;

/**
 * Creates the tables of R2R 3.6.6 with its indexes, and fills them. Every second document has its original file, the
 * others only have chunks.
 */
export async function fillR2rDatabase(url: string, size: R2rSize): Promise<R2rCounts> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const count = async (table: string) =>
    Number((await client.query(`select count(*) as count from r2r_default.${table}`)).rows[0].count);
  try {
    await client.query(await readFile('test/fixtures/r2r/database.sql', 'utf8'));
    await client.query(INDEXES);
    await addUsers(client, size);
    await addDocuments(client, size);
    await addConversations(client, size);
    await client.query('analyze');
    return {
      users: await count('users'),
      collections: await count('collections'),
      documents: await count('documents'),
      conversations: await count('conversations'),
      messages: await count('messages'),
    };
  } finally {
    await client.end();
  }
}

const INDEXES = `create index on r2r_default.chunks (document_id); create index on r2r_default.chunks (owner_id)`;

const idOf = (kind: string, number: string): string => `md5('${kind} ' || ${number})::uuid`;

async function addUsers(client: Client, { users }: R2rSize): Promise<void> {
  await client.query(
    `insert into r2r_default.users (id, email, hashed_password, collection_ids)
    select ${idOf('user', 'n')}, 'user-' || n || '@example.org', ada.hashed_password,
      array(select ${idOf('collection', `((n + c) % ${SHARED})`)} from generate_series(0, ${SHARED_PER_USER - 1}) c)
    from generate_series(0, $1::int - 1) n, r2r_default.users ada where ada.email = $2`,
    [users, SOURCE_OF_HASH],
  );
  await client.query(
    `insert into r2r_default.collections (id, owner_id, name, description)
    select ${idOf('collection', 'c')}, ${idOf('user', 'c')}, 'Team ' || c, 'Shared.' from generate_series(0, ${SHARED - 1}) c`,
  );
  const { rows } = await client.query(`select id from r2r_default.users where email like 'user-%'`);
  for (const { id } of rows) {
    const own = defaultCollectionId(id);
    await client.query(
      `insert into r2r_default.collections (id, owner_id, name) values ($1::uuid, $2::uuid, 'Default')`,
      [own, id],
    );
    await client.query(`update r2r_default.users set collection_ids = collection_ids || $1::uuid where id = $2::uuid`, [
      own,
      id,
    ]);
  }
}

async function addDocuments(client: Client, size: R2rSize): Promise<void> {
  const { documents, users, chunksPerDocument, dimensions } = size;
  const sentence = `'The ledger ' || n || ' lists ' || (n::bigint * 7919) % 100003 || ' crates.'`;
  const inCollection = idOf('collection', `((n % ${users}) % ${SHARED})`);
  const filler = `' Clerk ' || (n * 13 + k * 7) % 991 || ' of the harbour office ' || (n + k) % 83 || ' wrote down what the ship ' ||
    (n * 31 + k) % 577 || ' had brought, who weighed it, and where the carts took it before the evening tide turned at pier ' || k || '.'`;
  await client.query(
    `insert into r2r_default.documents (id, collection_ids, owner_id, type, metadata, title, size_in_bytes, ingestion_status, created_at)
    select ${idOf('document', 'n')},
      array[${inCollection}], ${idOf('user', `n % $2::int`)},
      case when n % 2 = 0 then 'md' else 'txt' end, jsonb_build_object('year', 1900 + n % 100), 'ledger-' || n,
      100, 'success', '2024-03-01'
    from generate_series(0, $1::int - 1) n`,
    [documents, users],
  );
  await client.query(
    `create temp table vectors as select v, (select '[' || string_agg(round(random()::numeric, 6)::text, ',') || ']'
      from generate_series(1, $1::int) where v is not null) as vec from generate_series(0, ${VECTORS - 1}) v`,
    [dimensions],
  );
  await client.query(
    `insert into r2r_default.chunks (id, document_id, owner_id, collection_ids, vec, text, metadata)
    select md5('chunk ' || n || ' ' || k)::uuid, ${idOf('document', 'n')}, ${idOf('user', 'n % $3::int')},
      array[${inCollection}], vec, case when k = 0 then ${sentence} else '' end || ${filler},
      jsonb_build_object('chunk_order', k)
    from generate_series(0, $1::int - 1) n, generate_series(0, $2::int - 1) k join vectors on v = (k * 17) % ${VECTORS}`,
    [documents, chunksPerDocument, users],
  );
  await client.query(
    `insert into r2r_default.files (document_id, name, oid, size, type)
    select document_id, 'ledger.md', lo_from_bytea(0, convert_to('# Ledger' || E'\\n\\n' || whole, 'UTF8')), length(whole), 'text/markdown'
    from (select document_id, string_agg(text, E'\\n\\n' order by (metadata->>'chunk_order')::int) as whole
      from r2r_default.chunks where document_id in (select id from r2r_default.documents where type = 'md' and title like 'ledger-%')
      group by document_id) texts`,
  );
}

async function addConversations(client: Client, size: R2rSize): Promise<void> {
  const { conversations, messagesPerConversation, users } = size;
  await client.query(
    `insert into r2r_default.conversations (id, user_id, name)
    select ${idOf('conversation', 'n')}, ${idOf('user', 'n % $2::int')}, 'Talk ' || n from generate_series(0, $1::int - 1) n`,
    [conversations, users],
  );
  await client.query(
    `insert into r2r_default.messages (id, conversation_id, content, metadata, created_at)
    select md5('message ' || n || ' ' || m)::uuid, ${idOf('conversation', 'n')},
      jsonb_build_object('role', case when m % 2 = 0 then 'user' else 'assistant' end, 'content', 'Message ' || m || ' of talk ' || n),
      '{}'::jsonb, timestamptz '2024-03-01' + m * interval '1 minute'
    from generate_series(0, $1::int - 1) n, generate_series(0, $2::int - 1) m`,
    [conversations, messagesPerConversation],
  );
}
