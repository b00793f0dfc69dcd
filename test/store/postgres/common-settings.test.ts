import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openAdapters } from '../../../src/adapters/open-adapters.ts';
import { loadConfig } from '../../../src/config.ts';
import type { CommonSettings } from '../../../src/store/postgres/common-settings.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/open-postgres.ts';
import { describePostgres, postgresDatabase } from '../../support/engines.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function start(url: string, settings: CommonSettings, role: PostgresOptions['role'] = 'server') {
  const database = await openPostgres({ url, readers: 1, role, settings });
  onTestFinished(database.close);
  return database;
}

const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'conflict', message: expect.stringMatching(message) });

describePostgres('A server', () => {
  it('is refused beside one with another Chroma, and admitted once that one has ended', async () => {
    const url = await postgresDatabase();
    const first = await start(url, { chroma: 'http://one:8000' });
    const other = { chroma: 'http://two:8000' };
    await expect(start(url, other)).rejects.toEqual(
      refusal(/the Chroma at http:\/\/one:8000, this one with the one at http:\/\/two:8000.*CHROMA_URL/),
    );
    await expect(start(url, other, 'worker')).rejects.toEqual(refusal(/CHROMA_URL/));
    await start(url, { chroma: 'http://one:8000' }, 'worker').then(({ close }) => close());
    await first.close();
    await start(url, other);
    await expect(start(url, { chroma: 'http://one:8000' })).rejects.toEqual(refusal(/the Chroma at http:\/\/two:8000/));
  });

  it('is refused by its configuration, in which an address may be written with a slash', async () => {
    const url = await postgresDatabase();
    await start(url, { chroma: 'http://127.0.0.1:1' });
    const open = async (chroma: string, more: Record<string, string> = {}) => {
      const cwd = await temporaryFolder();
      const own = { CITEWELL_DATA_DIR: cwd, XDG_CACHE_HOME: cwd, CITEWELL_DATABASE_URL: url };
      const adapters = await openAdapters(loadConfig({ env: { ...own, CHROMA_URL: chroma, ...more }, cwd }));
      onTestFinished(adapters.close);
    };
    await expect(open('http://127.0.0.1:2')).rejects.toEqual(refusal(/http:\/\/127.0.0.1:2\. .*CHROMA_URL/));
    await expect(open('http://127.0.0.1:1', { CHROMA_TENANT: 'other' })).rejects.toEqual(
      refusal(/http:\/\/127.0.0.1:1 \(tenant other\)/),
    );
    await open('http://127.0.0.1:1/');
  });

  it('is refused beside one with another secret, which the database does not hold', async () => {
    const url = await postgresDatabase();
    const [key, token] = ['the first key of credentials', 'the first secret of tokens'];
    const { reader } = await start(url, { secretKey: key, tokenSecret: token });
    await expect(start(url, { secretKey: 'another', tokenSecret: token })).rejects.toEqual(
      refusal(/another CITEWELL_SECRET_KEY.*the credentials/),
    );
    await expect(start(url, { secretKey: key, tokenSecret: 'another' })).rejects.toEqual(
      refusal(/another CITEWELL_JWT_SECRET.*logged in/),
    );
    await expect(start(url, { secretKey: key })).rejects.toEqual(refusal(/CITEWELL_JWT_SECRET/));
    // A worker has no tokens, and who needs the key without having it is told then.
    await start(url, {}, 'worker');
    const { rows } = await sql<{ value: string }>`
      select value from settings where name = 'settings_of_servers'`.execute(reader);
    expect(Object.keys(JSON.parse(rows[0]?.value ?? ''))).toHaveLength(2);
    expect(rows[0]?.value).not.toMatch(/first/);
  });

  it('is refused beside one with another kind of vector index', async () => {
    const url = await postgresDatabase();
    await start(url, { chroma: 'http://one:8000' });
    const never = async () => {
      throw new Error('Nothing is searched here.');
    };
    await expect(openPostgres({ url, readers: 1, nearestIndexed: never })).rejects.toEqual(
      refusal(/CITEWELL_VECTOR_INDEX=chroma, this one has pgvector/),
    );
  });

  it('is refused beside one with another text analyser, and changes nothing', async () => {
    const url = await postgresDatabase();
    const earlier = await start(url, {});
    await sql`update settings set value = '0' where name = 'analyser_version'`.execute(earlier.writer);
    const notes = sql`update settings set value = regexp_replace(value, '"analyser":"[^"]+"', '"analyser":"0"')
      where name = 'settings_of_servers'`;
    await notes.execute(earlier.writer);
    await expect(start(url, {})).rejects.toEqual(refusal(/analyser version \(0; this one has \d+.*stop them all/));
    // One of a version that noted nothing.
    await sql`delete from settings where name = 'settings_of_servers'`.execute(earlier.writer);
    await sql`update cluster_servers set version = 'before'`.execute(earlier.writer);
    await expect(start(url, {})).rejects.toEqual(refusal(/analyser version \(0; this one has \d+.*stop them all/));
    await earlier.close();
    await start(url, {});
  });

  it('starts together with others of its version when the full-text index has to be rebuilt', async () => {
    const url = await postgresDatabase();
    const earlier = await start(url, {});
    await sql`update settings set value = '0' where name = 'analyser_version'`.execute(earlier.writer);
    await earlier.close();
    await Promise.all([1, 2, 3].map(() => start(url, {})));
  });

  it('that keeps originals outside the database is refused beside one that does not support this', async () => {
    const url = await postgresDatabase();
    const earlier = await start(url, {});
    await sql`delete from settings where name = 'settings_of_servers'`.execute(earlier.writer);
    await sql`update cluster_servers set knows_schema = 20`.execute(earlier.writer);
    await expect(start(url, { originals: 's3://bucket' })).rejects.toEqual(
      refusal(/CITEWELL_ORIGINALS to the same value/),
    );
    await start(url, {});
  });
});
