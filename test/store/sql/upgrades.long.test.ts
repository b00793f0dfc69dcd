import { readdirSync } from 'node:fs';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { readRecords } from '../../../scripts/kill-test/inspect.ts';
import { restoreBackup } from '../../../src/backup/restore-backup.ts';
import { memoryVectorIndex } from '../../../src/store/memory/memory-vector-index.ts';
import { databaseFacts } from '../../../src/store/sql/database-facts.ts';
import { openStore } from '../../../src/store/sql/open-store.ts';
import { keepBeforeUpgrade } from '../../../src/store/sql/snapshot-database.ts';
import { migratedDatabase } from '../../support/migrated-database.ts';
import { tableContents } from '../../support/table-contents.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/**
 * Backups of data folders that the versions of the past wrote, named after their last migration step: those up to 0014
 * by checkouts of that time. Each release adds one of these two files, ingested and backed up by itself.
 */
const BACKUPS = join(import.meta.dirname, '../../fixtures/backups');
const LIGHTHOUSE =
  '# The lighthouse of Skerry\n\nThe lighthouse of Skerry was finished in 1844. Its tower is built of granite blocks.\n';
const FERRIES = '# Ferries\n\nThe ferry to Tolmen sails at nine. Anna Berg is its captain.\n';

async function restored(name: string): Promise<{ readonly folder: string; readonly path: string }> {
  const folder = await temporaryFolder();
  const { signal } = new AbortController();
  await restoreBackup(join(BACKUPS, name), folder, { passphrase: undefined, onProgress: () => undefined, signal });
  return { folder, path: join(folder, 'citewell.db') };
}

const newestSchema = async (): Promise<string> =>
  databaseFacts(await migratedDatabase(join(await temporaryFolder(), 'newest.db'))).schema;

/** Opens the store, which migrates it; returns what it reports. */
async function open(path: string): Promise<string[]> {
  const reports: string[] = [];
  const report = (message: string) => void reports.push(message);
  const store = await openStore({ path, index: memoryVectorIndex(), embeddingText: ({ text }) => text, report });
  await store.close();
  return reports;
}

const copiesIn = async (folder: string) => (await readdir(folder)).filter((name) => name.includes('before-upgrade'));

describe('a data folder of an earlier version', () => {
  it.each(readdirSync(BACKUPS))('is upgraded with its complete content, from %s', async (name) => {
    const { folder, path } = await restored(name);
    const before = tableContents(path);
    const isOld = databaseFacts(path).schema !== (await newestSchema());
    const reports = await open(path);
    const records = readRecords(folder);
    expect([...records.damage, ...records.versionProblems]).toEqual([]);
    const documents = [...records.documents.values()];
    expect(documents.map(({ bytes }) => bytes).sort()).toEqual([FERRIES, LIGHTHOUSE]);
    expect(documents.map(({ status }) => status)).toEqual(['success', 'success']);
    const chunks = documents.flatMap((document) => document.chunks);
    expect(chunks).toHaveLength(2);
    expect(new Set(records.vectors.keys())).toEqual(new Set(chunks.map(({ key }) => key)));
    expect(records.keysWith('1844')).toHaveLength(1);
    records.close();

    const copies = await copiesIn(folder);
    expect(copies).toHaveLength(isOld ? 1 : 0);
    if (!isOld) return;
    expect(tableContents(join(folder, copies[0] ?? ''))).toEqual(before);
    expect(reports[0]).toMatch(/is of an earlier version and is upgraded\. A copy .*before-upgrade-00/);
    expect(reports[1]).toMatch(/step 1 of \d+ \(00/);
    expect(reports.at(-1)).toMatch(/is up to date/);
    // Nothing is done again.
    expect(await open(path)).toEqual([]);
  });

  it('keeps only the copy of the last upgrade', async () => {
    const { folder, path } = await restored('0009.backup');
    await writeFile(`${path}.before-upgrade-0003-conversation-summaries`, 'older');
    await writeFile(`${path}.copying`, 'of an upgrade that was interrupted');
    await open(path);
    expect(await copiesIn(folder)).toEqual(['citewell.db.before-upgrade-0009-embedders']);
    expect((await readdir(folder)).filter((name) => name.includes('copying'))).toEqual([]);
  });

  it('can be opened by the version that wrote it, from the copy', async () => {
    const { folder, path } = await restored('0014.backup');
    const before = tableContents(path);
    await open(path);
    const [copy = ''] = await copiesIn(folder);
    await copyFile(join(folder, copy), path);
    expect(tableContents(path)).toEqual(before);
  });

  it('continues without a copy, and reports it, when the disk has no space for one', async () => {
    const { folder, path } = await restored('0009.backup');
    const reports: string[] = [];
    const report = (message: string) => void reports.push(message);
    await keepBeforeUpgrade(path, { lastStep: '0009-embedders', report, freeIn: async () => 1_000 });
    expect(reports).toEqual([expect.stringMatching(/without keeping a copy.* needs up to .* has 1\.0 KB free/)]);
    expect(await copiesIn(folder)).toEqual([]);
  });
});

it('a data folder of a newer version is refused with a clear message, and left unchanged', async () => {
  const folder = await temporaryFolder();
  const path = await migratedDatabase(join(folder, 'citewell.db'));
  const database = new DatabaseSync(path);
  database.exec("insert into kysely_migration values ('9999-of-the-future', '2030-01-01T00:00:00.000Z')");
  database.exec("update settings set value = '9999' where name = 'lowest_schema'");
  database.close();
  const before = tableContents(path);
  await expect(open(path)).rejects.toThrow(
    /newer version of Citewell \(step 9999-of-the-future\)\. Install that version/,
  );
  expect(tableContents(path)).toEqual(before);
  expect(await copiesIn(folder)).toEqual([]);
});
