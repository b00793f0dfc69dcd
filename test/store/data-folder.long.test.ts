import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataFolder } from '../../src/store/data-folder.ts';
import { currentProcess, isAlive, readStartTime } from '../../src/store/process-identity.ts';
import { readServerInfo, removeServerInfo, writeServerInfo } from '../../src/store/server-info.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = fileURLToPath(new URL('./hold-folder.ts', import.meta.url));

/** Starts another process that opens the folder; resolves with its output. */
const askFor = async (folder: string): Promise<{ process: ChildProcessWithoutNullStreams; says: string }> => {
  const child = spawn(process.execPath, [program, folder]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const [words] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { process: child, says: String(words).trim() };
};

describe('the data folder', () => {
  it('is created with its parents, accessible to its user only', async () => {
    const path = join(await temporaryFolder(), 'some', 'where');
    const folder = await openDataFolder(path);
    onTestFinished(() => folder.close());
    expect(folder).toMatchObject({
      path,
      databaseFile: join(path, 'citewell.db'),
      chromaFolder: join(path, 'chroma'),
    });
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it.skipIf(process.platform === 'win32')('is made private with its content when it was open to others', async () => {
    const path = await temporaryFolder();
    await chmod(path, 0o755);
    await mkdir(join(path, 'chroma'));
    for (const name of ['citewell.db', 'chroma/index.bin']) await writeFile(join(path, name), '');
    for (const name of ['citewell.db', 'chroma', 'chroma/index.bin']) await chmod(join(path, name), 0o755);
    await symlink(process.execPath, join(path, 'chroma', 'link'));
    const elsewhere = (await stat(process.execPath)).mode;
    await (await openDataFolder(path)).close();
    for (const name of ['', 'citewell.db', 'chroma', 'chroma/index.bin'])
      expect((await stat(join(path, name))).mode & 0o077).toBe(0);
    expect((await stat(process.execPath)).mode).toBe(elsewhere);
    await writeFile(join(path, 'later'), '');
    expect((await stat(join(path, 'later'))).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')('is refused inside a folder that others can write', async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, 'letter.txt'), '');
    await chmod(path, 0o755);
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(
        /other users can reach it \(mode 0755\), and it holds other things\..*a new subfolder/,
      ),
    });
    expect((await stat(path)).mode & 0o777).toBe(0o755);
  });

  it('is locked by one holder at a time within a process', async () => {
    const path = await temporaryFolder();
    const first = await openDataFolder(path);
    await expect(openDataFolder(path)).rejects.toMatchObject({ code: 'conflict' });
    await first.close();
    await first.close();
    await (await openDataFolder(path)).close();
  });

  it('is refused with the pid of its holder', async () => {
    const path = await temporaryFolder();
    const other = await askFor(path);
    expect(other.says).toBe('held');
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(new RegExp(`in use by process ${other.process.pid}\\. .*CITEWELL_DATA_DIR`)),
    });
  });

  it('is refused with the address of the server that holds it', async () => {
    const path = await temporaryFolder();
    const folder = await openDataFolder(path);
    onTestFinished(() => folder.close());
    await writeServerInfo(path, 'http://127.0.0.1:7272', { version: '1.2.3' });
    expect((await askFor(path)).says).toContain(
      `in use by the server at http://127.0.0.1:7272 (process ${process.pid})`,
    );
  });

  it('is free again at once after its process was killed', async () => {
    const path = await temporaryFolder();
    const other = await askFor(path);
    expect(other.says).toBe('held');
    other.process.kill('SIGKILL');
    await once(other.process, 'exit');
    await (await openDataFolder(path)).close();
  });

  it('is free when the pid of a dead holder was reused', async () => {
    const path = await temporaryFolder();
    await writeFile(join(path, 'holder.json'), JSON.stringify({ pid: process.pid, startTime: 'long ago' }));
    await (await openDataFolder(path)).close();
  });

  it('is granted to exactly one of several concurrent processes', async () => {
    const path = await temporaryFolder();
    const answers = await Promise.all(Array.from({ length: 4 }, () => askFor(path)));
    expect(answers.filter(({ says }) => says === 'held')).toHaveLength(1);
    for (const { says } of answers) expect(says).toMatch(/^held$|in use by/);
  });

  it.each([
    ['a file', 'taken', 'it is a file'],
    ['below a file', 'taken/below', 'it, or something above it, is a file'],
  ])('is refused when its path is %s', async (_, name, reason) => {
    const parent = await temporaryFolder();
    await writeFile(join(parent, 'taken'), '');
    await expect(openDataFolder(join(parent, name))).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(new RegExp(`cannot be used: ${reason}\\. Set CITEWELL_DATA_DIR`)),
    });
  });

  it.runIf(process.platform === 'linux')('is refused without waiting when it cannot be created', async () => {
    await expect(openDataFolder('/proc/no-such-folder/below')).rejects.toThrow(/cannot be used: it cannot be made/);
  });

  // The superuser can write everywhere.
  it.skipIf(process.getuid?.() === 0 || process.platform === 'win32')('is refused when it is read-only', async () => {
    const path = join(await temporaryFolder(), 'read-only');
    await mkdir(path);
    await chmod(path, 0o500);
    await expect(openDataFolder(path)).rejects.toThrow('this user may not write there');
  });
});

describe('the address file of a serving process', () => {
  it('is read by others while the process lives', async () => {
    const path = await temporaryFolder();
    const info = await writeServerInfo(path, 'http://127.0.0.1:7272', { version: '1.2.3' });
    expect(info).toMatchObject({ ...(await currentProcess()), url: 'http://127.0.0.1:7272', version: '1.2.3' });
    expect(await readServerInfo(path)).toEqual(info);
    if (process.platform !== 'win32') expect((await stat(join(path, 'server.json'))).mode & 0o777).toBe(0o600);
    await removeServerInfo(path);
    expect(await readServerInfo(path)).toBeUndefined();
  });

  it.each([
    ['is absent', undefined],
    ['is cut off', '{"pid": 1'],
    ['lacks the address', JSON.stringify({ pid: process.pid, startTime: 'x', token: 't', version: '1' })],
    [
      'is of an earlier process with our number',
      JSON.stringify({ pid: process.pid, startTime: 'x', url: 'http://127.0.0.1:1', token: 't', version: '1' }),
    ],
  ])('is ignored when it %s', async (_, text) => {
    const path = await temporaryFolder();
    if (text !== undefined) await writeFile(join(path, 'server.json'), text);
    expect(await readServerInfo(path)).toBeUndefined();
  });

  it.each([
    'http://203.0.113.7:7272',
    'https://citewell.example',
    'http://127.example.org',
    'http://127.0.0.1.nip.io:80',
  ])('is ignored when it names another machine: %s', async (url) => {
    const path = await temporaryFolder();
    const info = await writeServerInfo(path, 'http://127.0.0.1:7272');
    await writeFile(join(path, 'server.json'), JSON.stringify({ ...info, url }));
    expect(await readServerInfo(path)).toBeUndefined();
  });

  it('is accepted when it names an address of this machine', async () => {
    const path = await temporaryFolder();
    const { address = '' } = Object.values(networkInterfaces()).flatMap((each) => each ?? [])[0] ?? {};
    const host = address.includes(':') ? `[${address}]` : address;
    await writeServerInfo(path, `http://${host}:7272`);
    expect((await readServerInfo(path))?.url).toBe(`http://${host}:7272`);
  });

  it.skipIf(process.platform === 'win32')('is ignored when it is a link', async () => {
    const [path, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    await writeServerInfo(elsewhere, 'http://127.0.0.1:7272');
    await symlink(join(elsewhere, 'server.json'), join(path, 'server.json'));
    expect(await readServerInfo(path)).toBeUndefined();
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() !== 0)(
    'is ignored when the process belongs to another user',
    async () => {
      const path = await temporaryFolder();
      const startTime = (await readStartTime(1)) ?? '';
      const info = await writeServerInfo(path, 'http://127.0.0.1:7272');
      await writeFile(join(path, 'server.json'), JSON.stringify({ ...info, pid: 1, startTime }));
      expect(await readServerInfo(path)).toBeUndefined();
    },
  );

  it('is not removed by another process', async () => {
    const path = await temporaryFolder();
    await writeServerInfo(path, 'http://127.0.0.1:7272');
    const file = join(path, 'server.json');
    const { process: other } = await askFor(await temporaryFolder());
    const startTime = await readStartTime(other.pid ?? 0);
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), pid: other.pid, startTime }));
    await removeServerInfo(path);
    expect((await readServerInfo(path))?.pid).toBe(other.pid);
  });
});

describe('a process', () => {
  it('is identified by its pid and start time', async () => {
    const self = await currentProcess();
    expect(self.pid).toBe(process.pid);
    expect(await isAlive(self)).toBe(true);
    expect(await isAlive({ ...self, startTime: 'another' })).toBe(false);
  });

  it('is dead once it has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const identity = { pid: child.pid ?? 0, startTime: (await readStartTime(child.pid ?? 0)) ?? '' };
    expect(await isAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await isAlive(identity)).toBe(false);
  });
});
