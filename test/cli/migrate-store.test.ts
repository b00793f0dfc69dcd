import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describePostgres, postgresDatabase } from '../support/engines.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const QUESTION = 'When was the lighthouse of Skerry finished?';

/** A working folder whose data folder has some documents. */
async function filledFolder(): Promise<string> {
  const cwd = await temporaryFolder();
  const papers = join(cwd, 'papers');
  await mkdir(papers);
  await writeFile(join(papers, 'lighthouse.md'), '# Skerry\n\nThe lighthouse of Skerry was finished in 1844.\n');
  for (let number = 0; number < 40; number++) {
    await writeFile(join(papers, `${number}.md`), `# Note ${number}\n\nPeat was cut on ${number} days of that year.\n`);
  }
  expect(await runCitewell(['ingest', papers], { cwd })).toMatchObject({ code: 0 });
  return cwd;
}

describePostgres('citewell migrate store', () => {
  it('copies a data folder to PostgreSQL and back, resumes after being killed, and compares', async () => {
    const cwd = await filledFolder();
    const url = await postgresDatabase();

    // Nothing may be written meanwhile.
    const server = await startCitewell({ cwd });
    onTestFinished(server.kill);
    const beside = await runCitewell(['migrate', 'store', '--to', url], { cwd });
    expect(beside.code).not.toBe(0);
    expect(beside.stderr).toMatch(/in use|runs|Stop/);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });

    const killed = await runCitewell(['migrate', 'store', '--to', url, '--json'], {
      cwd,
      onStart: (child) => child.stdout?.on('data', (text) => /"began"/.test(text) && child.kill('SIGKILL')),
    });
    expect(killed.code).toBeNull();
    const unfinished = await runCitewell(['ask', QUESTION], { cwd, env: { CITEWELL_DATABASE_URL: url } });
    expect(unfinished.code).not.toBe(0);
    expect(unfinished.stdout).not.toContain('1844');

    const copied = await runCitewell(['migrate', 'store', '--to', url], { cwd });
    expect(copied, copied.stderr).toMatchObject({ code: 0 });
    expect(copied.stderr).toContain('Continuing to copy');
    expect(copied.stdout).toMatch(/All \d+ tables are equal\./);
    const elsewhere = await temporaryFolder();
    const env = { CITEWELL_DATABASE_URL: url };
    expect((await runCitewell(['ask', QUESTION], { cwd: elsewhere, env })).stdout).toContain('1844');

    const back = await runCitewell(['migrate', 'store', '--to', 'sqlite:back'], { cwd: elsewhere, env });
    expect(back, back.stderr).toMatchObject({ code: 0 });
    const own = { CITEWELL_DATA_DIR: join(elsewhere, 'back') };
    expect((await runCitewell(['ask', QUESTION], { cwd: elsewhere, env: own })).stdout).toContain('1844');

    // After a change the two differ, which is said.
    await writeFile(join(elsewhere, 'one.md'), 'The ferry leaves at noon.');
    const changed = await runCitewell(['ingest', 'one.md'], { cwd: elsewhere, env: own });
    expect(changed, changed.stderr).toMatchObject({ code: 0 });
    const differs = await runCitewell(['migrate', 'store', '--to', 'sqlite:back', '--verify'], { cwd: elsewhere, env });
    expect(differs.code).not.toBe(0);
    expect(differs.stdout).toMatch(/\d+ of \d+ tables differ\./);
  }, 240_000);

  it('refuses a target that has records, and one that is no database', async () => {
    const [cwd, other] = await Promise.all([temporaryFolder(), temporaryFolder()]);
    await writeFile(join(cwd, 'one.md'), 'The ferry leaves at noon.');
    await writeFile(join(other, 'two.md'), 'The mill stands at the weir.');
    expect(await runCitewell(['ingest', 'one.md'], { cwd })).toMatchObject({ code: 0 });
    const url = await postgresDatabase();
    expect(await runCitewell(['ingest', 'two.md'], { cwd: other, env: { CITEWELL_DATABASE_URL: url } })).toMatchObject({
      code: 0,
    });
    const filled = await runCitewell(['migrate', 'store', '--to', url], { cwd });
    expect(filled.code).not.toBe(0);
    expect(filled.stderr).toMatch(/empty/i);
    const wrong = await runCitewell(['migrate', 'store', '--to', 'mysql://localhost/x'], { cwd });
    expect(wrong.code).not.toBe(0);
    expect(wrong.stderr).toContain('--to takes postgres://');
    expect(wrong.stderr).not.toMatch(/\n\s+at /);
  });
});
