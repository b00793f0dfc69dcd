import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { postgresSteps } from '../../../src/store/postgres/migrate.ts';
import { executeFor } from '../../../src/store/sql/migrations/execute-for.ts';
import { lastNumber, numberOf } from '../../../src/store/sql/migrations/run-steps.ts';
import { forEngine, type SharedStep, sharedSteps } from '../../../src/store/sql/migrations/shared-steps.ts';
import { sqliteSteps } from '../../../src/store/sql/sqlite/migrate.ts';
import { describeEngines } from '../../support/engines.ts';
import { ingest, newChunks, newDocument, type TestStore } from '../../support/store.ts';

/** What servers of this version do not need to know. */
const adds: SharedStep = {
  worksFrom: 9000,
  async up(database, types) {
    await database.schema
      .createTable('lighthouses')
      .addColumn('key', types.key, types.asKey)
      .addColumn('name', types.text, (column) => column.notNull().unique())
      .addColumn('document_key', types.key, (column) => column.references('documents.key').onDelete('cascade'))
      .addColumn('picture', types.bytes)
      .addColumn('height', types.real)
      .addColumn('seen', types.long)
      .addColumn('facts', types.json, (column) => column.notNull())
      .execute();
    await database.schema.alterTable('documents').addColumn('light', types.text).execute();
    await executeFor(database, {
      sqlite: [
        'create trigger lit after insert on lighthouses begin update documents set light = new.name where key = new.document_key; end',
      ],
      postgres: [
        `create function lit() returns trigger language plpgsql as $$ begin
          update documents set light = new.name where key = new.document_key; return null; end $$`,
        'create trigger lit after insert on lighthouses for each row execute function lit()',
      ],
    });
  },
};

/** What takes away that servers of the version before need. */
const takesAway: SharedStep = {
  worksFrom: 9002,
  async up(database) {
    await executeFor(database, { sqlite: ['drop trigger lit'], postgres: ['drop trigger lit on lighthouses'] });
    await database.schema.alterTable('documents').dropColumn('light').execute();
  },
};

describeEngines('Steps of the schema that are written for both engines', (engine) => {
  const first = engine.name === 'SQLite' ? sqliteSteps : postgresSteps;
  // Of the version under test, and of the two after it.
  const own = { ...first, ...forEngine({ '9000-nothing': { worksFrom: 9000, up: async () => {} } }) };
  const next = { ...own, ...forEngine({ '9001-lighthouses': adds }) };
  const last = { ...next, ...forEngine({ '9002-no-light': takesAway }) };
  const addDocument = async (store: TestStore, name = 'Skerry') => {
    const document = newDocument(name);
    await ingest(store, document, newChunks(1, 'Granite blocks.'));
    return document.id;
  };

  it('let servers of the previous version start again after a step that only adds', async () => {
    const old = await engine.openTestStore({ schema: { steps: own } });
    const id = await addDocument(old);
    const store = await old.reopen({ schema: { steps: next } });
    const { key } = await store.sqlite.writer.selectFrom('documents').select('key').executeTakeFirstOrThrow();
    await sql`insert into lighthouses (name, document_key, picture, height, seen, facts)
      values ('Skerry', ${key}, ${Buffer.from([0, 255])}, 42.5, 9007199254740991, '{}')`.execute(store.sqlite.writer);
    const { rows } =
      await sql`select l.*, d.light from lighthouses l join documents d on d.key = l.document_key`.execute(
        store.sqlite.reader,
      );
    expect(rows).toEqual([
      {
        key: 1,
        name: 'Skerry',
        document_key: key,
        picture: new Uint8Array([0, 255]),
        height: 42.5,
        seen: 9007199254740991,
        facts: '{}',
        light: 'Skerry',
      },
    ]);

    const again = await store.reopen({ schema: { steps: own } });
    expect((await again.corpus.get(id))?.title).toBe('Skerry');
    await addDocument(again, 'Tolmen');
  });

  it('refuse servers of the previous version after a step that removes what they need', async () => {
    const store = await engine.openTestStore({ schema: { steps: last } });
    await addDocument(store);
    await expect(store.reopen({ schema: { steps: next } })).rejects.toThrow(
      /written by a newer version of Citewell \(step 9002-no-light\)/,
    );
    await (await store.reopen({ schema: { steps: last } })).close();
  });

  it('are not applied at start when that is disabled', async () => {
    const store = await engine.openTestStore({ schema: { steps: own } });
    await expect(store.reopen({ schema: { steps: next, mode: 'off' } })).rejects.toThrow(
      /lacks 9001-lighthouses of this version.*"citewell database migrate"/,
    );
    await store.reopen({ schema: { steps: next } });
    await store.reopen({ schema: { steps: next, mode: 'off' } });
  });

  it('are numbered in order, and say which servers can work with them', () => {
    const names = Object.keys(sharedSteps);
    expect(names).toEqual(names.toSorted());
    // Both engines begin at one number, which the first of these steps names in `worksFrom`.
    const before = (steps: object) => lastNumber(Object.keys(steps).filter((name) => !names.includes(name)));
    expect(before(postgresSteps)).toBe(before(sqliteSteps));
    for (const [name, { worksFrom }] of Object.entries(sharedSteps)) {
      expect(numberOf(name)).toBeGreaterThan(before(sqliteSteps));
      expect(worksFrom).toBeLessThanOrEqual(numberOf(name));
    }
  });
});
