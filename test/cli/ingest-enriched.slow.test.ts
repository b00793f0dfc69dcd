import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { chatReply, startFakeOpenAi } from '../support/fake-openai.ts';
import { runCitewell } from '../support/run-citewell.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('ingest shows the estimated cost of enrichment, asks, and makes chunks searchable by the generated context', async () => {
  const provider = await startFakeOpenAi();
  onTestFinished(() => provider.close());
  provider.otherwise(({ body }) => {
    const asked = JSON.stringify(body.messages);
    return chatReply({ text: asked.includes('<passage>') ? 'On the Zambezi.' : 'A report about hydrology.' });
  });
  const cwd = await temporaryFolder();
  const env = {
    CITEWELL_PROVIDERS: `fake=${provider.baseUrl}`,
    CITEWELL_MODEL: 'fake/large',
    CITEWELL_FAST_MODEL: 'fake/small',
    CITEWELL_PRICES: '{"fake/small":{"input":1,"output":2}}',
    CITEWELL_GRAPH: 'off',
  };
  await writeFile(join(cwd, 'levels.md'), '# Levels\n\nThe level of the river was measured every morning.\n');

  const unconfirmed = await runCitewell(['ingest', 'levels.md', '--enrich'], { cwd, env });
  expect(unconfirmed.stderr).toMatch(/fake\/small will write contexts for 1 passage of 1 file: 1 call, .* \$0\.000\d/);
  expect(unconfirmed.stderr).toContain('--yes');
  expect(unconfirmed.code).not.toBe(0);
  expect(provider.requests).toHaveLength(0);

  const { code, stdout } = await runCitewell(['ingest', 'levels.md', '--enrich', '--yes'], { cwd, env });
  expect(stdout).toContain('1 ingested');
  expect(code).toBe(0);
  expect(provider.requests.map(({ body }) => body.model)).toEqual(['small', 'small']);

  const found = await runCitewell(['search', 'Zambezi', '--json'], { cwd, env });
  expect(found.stdout).toContain('The level of the river');
  expect(found.stdout).not.toContain('On the Zambezi');
  const listed = await runCitewell(['documents', '--json'], { cwd, env });
  expect(listed.stdout).toContain('A report about hydrology.');
  expect(listed.stdout).toContain('fake/small');

  const again = await runCitewell(['ingest', 'levels.md', '--enrich'], { cwd, env });
  expect(again.stderr).toContain('No model calls are needed');
  expect(again.stdout).toContain('1 unchanged');
  expect(provider.requests).toHaveLength(2);
});
