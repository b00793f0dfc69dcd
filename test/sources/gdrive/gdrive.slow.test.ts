import { expect, it, onTestFinished } from 'vitest';
import { folder, SERVICE_KEY, startDrive, textFile } from '../../support/drive-server.ts';
import { startFollowing } from '../../support/start-following.ts';

it('follows a folder of Google Drive: new, changed and deleted files; keeps the documents when access fails', async () => {
  const drive = await startDrive([
    folder('top', 'my-drive'),
    folder('inner', 'top'),
    folder('other', 'my-drive'),
    textFile('rivers', 'top', 'The Rhine rises in the Alps.'),
    textFile('mills', 'inner', 'Mills stood here.'),
  ]);
  onTestFinished(drive.close);
  const { add, sync, titles } = await startFollowing({ network: drive.network });
  const first = await add({
    kind: 'gdrive',
    address: 'gdrive://top',
    every_minutes: null,
    credentials: { service_account_key: SERVICE_KEY },
  });
  expect(first).toMatchObject({ state: 'idle', problem: null, has_credentials: true, location: 'gdrive://top' });
  expect(first.last_sync).toMatchObject({ counts: { ingested: 2 }, failures: [] });
  expect(JSON.stringify(first)).not.toContain('PRIVATE KEY');

  drive.put({ id: 'rivers', content: 'The Danube rises in the Black Forest.' });
  drive.put({ id: 'weirs', name: 'weirs.txt', parents: ['inner'], content: 'A weir dams a river.' });
  drive.put({ id: 'inner', parents: ['other'] });
  expect((await sync(first.id)).last_sync.counts).toEqual({ replaced: 1, removed: 1 });
  expect(await titles()).toEqual(['rivers.txt']);
  drive.put({ id: 'inner', parents: ['top'] });
  await sync(first.id);
  expect(await titles()).toHaveLength(3);

  drive.put({ id: 'top', isShared: false });
  expect(await sync(first.id)).toMatchObject({ state: 'stopped', problem: expect.stringContaining('not shared with') });
  await drive.close();
  expect((await sync(first.id)).state).toBe('stopped');
  expect(await titles()).toHaveLength(3);
});
