import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describePgvector, pgvectorDatabase } from '../support/engines.ts';
import { PATIENT } from '../support/patience.ts';
import { runCitewell, startCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describePgvector('A server', () => {
  it('ingests, searches and deletes without Chroma, and reports where its vectors are stored', async () => {
    const cwd = await temporaryFolder();
    const env = { CITEWELL_DATABASE_URL: await pgvectorDatabase(), CITEWELL_VECTOR_INDEX: 'pgvector' };
    const server = await startCitewell({ cwd, env });
    onTestFinished(server.kill);
    await writeFile(join(cwd, 'lighthouse.md'), '# Skerry\n\nThe lighthouse of Skerry was finished in 1844.\n');
    expect(await runCitewell(['ingest', 'lighthouse.md'], { cwd, env })).toMatchObject({ code: 0 });

    const search = async () => {
      const settings = { use_fulltext_search: false, use_semantic_search: true };
      const response = await fetch(`${server.url}/v3/retrieval/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'lighthouse', search_settings: settings }),
      });
      return JSON.stringify(await response.json());
    };
    expect(await search()).toContain('finished in 1844');
    await vi.waitFor(async () => {
      const health = JSON.stringify(await (await fetch(`${server.url}/v3/health`)).json());
      expect(health).toContain('"index":{"kind":"pgvector","state":"ready"}');
    }, PATIENT);

    const doctor = await runCitewell(['doctor'], { cwd, env });
    expect(doctor.stdout).toMatch(/Vector index: pgvector 0\.\d+\.\d+, in the database/);
    expect(doctor.stdout).toMatch(/Index: pgvector answered in .*: a stored vector was found/);
    expect(doctor.stdout).not.toContain('Chroma');

    const { results } = (await (await fetch(`${server.url}/v3/documents`)).json()) as { results: { id: string }[] };
    await fetch(`${server.url}/v3/documents/${results[0]?.id}`, { method: 'DELETE' });
    expect(await search()).not.toContain('finished in 1844');
    expect(await readdir(join(cwd, '.citewell'))).not.toContain('chroma');
  }, 300_000);
});
