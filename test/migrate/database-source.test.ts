import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { openDatabaseSource } from '../../src/migrate/database-source.ts';
import { type MigratedItem, migrateR2r } from '../../src/migrate/migrate-r2r.ts';
import type { MigrationSource } from '../../src/migrate/migration-source.ts';
import { openMigrationState } from '../../src/migrate/migration-state.ts';
import { connectV3, type V3Connection } from '../../src/migrate/v3-connection.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import type { RunningHttp } from '../http/support/start-http.ts';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Of Ada's and Ben's passwords, the hash of one is bcrypt's, of the other Argon2's. */
const PASSWORDS = { 'ada@example.org': 'analytical engine', 'ben@example.org': 'pwd' };

async function r2rDatabase(): Promise<string> {
  const url = await postgresDatabase();
  await query(url, await readFile('test/fixtures/r2r/database.sql', 'utf8'));
  return url;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of many shapes
async function query(url: string, text: string): Promise<any> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client without types would
const call = async (http: RunningHttp, path: string, token?: string, body?: URLSearchParams): Promise<any> => {
  const response = await fetch(`${http.url}/v3${path}`, {
    ...(body && { method: 'POST', body }),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  return response.json();
};
const logIn = (http: RunningHttp, username: string, password: string) =>
  call(http, '/users/login', undefined, new URLSearchParams({ username, password }));

describePostgres('the database of R2R', () => {
  it('is copied with its users, their passwords, and what each of them owns', async () => {
    const [url, folder, target] = await Promise.all([
      r2rDatabase(),
      temporaryFolder(),
      startCitewell({ isRequired: true, hasTestAdmin: true }),
    ]);
    const admin = (await logIn(target, 'admin@example.com', 'change_me_immediately')).results.access_token.token;
    const { signal } = new AbortController();
    const copy = async () => {
      const from = await openDatabaseSource({ url, schema: 'r2r_default' });
      const state = await openMigrationState(join(folder, 'state.jsonl'));
      const to = connectV3({ url: target.url, bearer: admin }, signal);
      const items: MigratedItem[] = [];
      for await (const event of migrateR2r({ from, to, state, signal })) if (event.type === 'item') items.push(event);
      await from.close();
      return items.map(({ kind, outcome }) => `${kind} ${outcome}`).toSorted();
    };
    try {
      expect(await copy()).toEqual([
        'collection copied',
        ...Array(3).fill('collection present'),
        'conversation copied',
        ...Array(2).fill('document copied'),
        ...Array(2).fill('user copied'),
        'user present',
      ]);
      expect((await copy()).filter((each) => !each.endsWith('present'))).toEqual([]);

      const seen: Record<string, unknown> = {};
      for (const [email, password] of Object.entries(PASSWORDS)) {
        expect((await logIn(target, email, 'another password')).message).toContain('Incorrect');
        // The second login is by the hash that the first one stored.
        for (const _ of [1, 2]) await logIn(target, email, password);
        const token = (await logIn(target, email, password)).results.access_token.token;
        const titles = (await call(target, '/documents', token)).results.map(({ title }: { title: string }) => title);
        const conversations = (await call(target, '/conversations', token)).results;
        seen[email] = { titles: titles.toSorted(), conversations: conversations.length };
      }
      // Ben is a member of Ada's collection, and has a document of his own.
      expect(seen).toEqual({
        'ada@example.org': { titles: ['ferry.md'], conversations: 1 },
        'ben@example.org': { titles: ['ferry.md', 'notes'], conversations: 0 },
      });
      const { results } = await call(target, '/documents', admin);
      const ferry = results.find(({ title }: { title: string }) => title === 'ferry.md');
      expect(ferry.metadata).toMatchObject({ year: 2024, first_ingested_at: '2024-03-01T00:00:00.000Z' });
      const { results: text } = await call(target, `/documents/${ferry.id}/text`, admin);
      expect(text.text).toBe('# Ferry\n\nThe ferry Aurora carries 120 passengers.');
    } finally {
      await target.close();
    }
  });

  it('has files larger than what is read at once, and chunks where a large object is missing', async () => {
    const url = await r2rDatabase();
    const [{ document_id: id }] = await query(
      url,
      `update r2r_default.files set oid = lo_from_bytea(0, convert_to(repeat('0123456789', 1800000), 'UTF8')) returning document_id`,
    );
    const source = await openDatabaseSource({ url, schema: 'r2r_default' });
    try {
      const file = await source.fileOf(id);
      expect(Buffer.from(file?.bytes ?? []).equals(Buffer.from('0123456789'.repeat(1_800_000)))).toBe(true);
      await query(url, 'select lo_unlink(oid) from r2r_default.files');
      expect(await source.fileOf(id)).toBeUndefined();
    } finally {
      await source.close();
    }
  });

  it('leaves nothing of a user who cannot be copied to others, and completes one whose copying was interrupted', async () => {
    const url = await r2rDatabase();
    // R2R lets anybody put Ben's document into a collection of Ada's, of which he is no member.
    await query(
      url,
      `update r2r_default.documents set collection_ids = collection_ids || '{7d831a16-2d38-559b-bd54-8fb87271e0c0}'::uuid[]
       where title = 'notes';
       insert into r2r_default.users (id, email, hashed_password)
       values ('ee45d3a4-0000-5000-8000-000000000000', 'BEN@example.org', '');
       insert into r2r_default.users (id, email, hashed_password)
       select 'cc45d3a4-0000-5000-8000-000000000000', 'cleo@example.org', hashed_password from r2r_default.users
       where email = 'ben@example.org'`,
    );
    const [folder, target] = await Promise.all([
      temporaryFolder(),
      startCitewell({ isRequired: true, hasTestAdmin: true }),
    ]);
    const admin = (await logIn(target, 'admin@example.com', 'change_me_immediately')).results.access_token.token;
    const source = await openDatabaseSource({ url, schema: 'r2r_default' });
    /** In the first run, Ada has no usable e-mail, Ben cannot be created, and the answer about Cleo is lost. */
    const copy = async (isAway: boolean) => {
      const from: MigrationSource = {
        ...source,
        async *users() {
          for await (const user of source.users()) {
            const { email } = user as { email: string };
            yield email.startsWith('Ada') && isAway ? { ...(user as object), email: 'no address' } : user;
          }
        },
      };
      const { signal } = new AbortController();
      const server = connectV3({ url: target.url, bearer: admin }, signal);
      const post: V3Connection['post'] = async (path, body) => {
        const email = isAway && body !== undefined && 'email' in body ? body.email : undefined;
        if (email === 'ben@example.org') throw new ServiceError('provider_failed', 'away');
        const answer = await server.post(path, body);
        if (email === 'cleo@example.org') throw new ServiceError('provider_failed', 'lost');
        return answer;
      };
      const to: V3Connection = { ...server, post, uninterrupted: () => to };
      const state = await openMigrationState(join(folder, 'state.jsonl'));
      const items: string[] = [];
      for await (const event of migrateR2r({ from, to, state, signal })) {
        if (event.type === 'item') items.push(`${event.kind} ${event.name} ${event.reason ?? event.outcome}`);
      }
      return items;
    };
    try {
      const first = await copy(true);
      const away = 'Its owner could not be copied.';
      expect(first).toEqual(
        expect.arrayContaining([
          'user ben@example.org away',
          'user cleo@example.org lost',
          `collection Ships ${away}`,
          `document ferry.md ${away}`,
          `document notes ${away}`,
          `conversation About ships ${away}`,
        ]),
      );
      expect(await copy(false)).toEqual(
        expect.arrayContaining([
          'user ben@example.org copied',
          'user cleo@example.org copied',
          'user BEN@example.org Another user has this e-mail in different letter case.',
          'document ferry.md copied',
          'document notes copied',
        ]),
      );
      expect(await logIn(target, 'ben@example.org', PASSWORDS['ben@example.org'])).toHaveProperty('results');
      expect(await logIn(target, 'cleo@example.org', PASSWORDS['ben@example.org'])).toHaveProperty('results');
      const ada = await logIn(target, 'ada@example.org', PASSWORDS['ada@example.org']);
      const { results } = await call(target, '/documents', ada.results.access_token.token);
      expect(results.map(({ title }: { title: string }) => title).toSorted()).toEqual(['ferry.md', 'notes']);
    } finally {
      await source.close();
      await target.close();
    }
  });

  it('is refused in words where it is not one of R2R, or not there', async () => {
    const url = await r2rDatabase();
    await expect(openDatabaseSource({ url, schema: 'public' })).rejects.toThrow('those of r2r_default are');
    await expect(openDatabaseSource({ url: await postgresDatabase(), schema: 'r2r_default' })).rejects.toThrow(
      'no other has them',
    );
    await expect(openDatabaseSource({ url: 'mysql://localhost/r2r', schema: 'r2r_default' })).rejects.toThrow(
      '--postgres takes an address',
    );
    await expect(openDatabaseSource({ url: 'postgres://a:b@c:d:e', schema: 'r2r_default' })).rejects.toThrow(
      "R2R's database cannot be opened: Invalid URL",
    );
    await query(url, 'alter table r2r_default.users rename id to user_id');
    await expect(openDatabaseSource({ url, schema: 'r2r_default' })).rejects.toThrow('an older R2R, without users.id');
    const nobody = 'postgres://postgres@127.0.0.1:1/postgres';
    await expect(openDatabaseSource({ url: nobody, schema: 'r2r_default' })).rejects.toThrow('ECONNREFUSED');
  });
});
