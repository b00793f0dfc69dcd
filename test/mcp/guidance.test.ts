import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultAdmin } from '../../src/access/principal.ts';
import type { FollowedFolder } from '../../src/toolbox/tool-ports.ts';
import { startCitewell } from '../http/support/start-citewell.ts';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

async function open(write = true) {
  const mcp = await startInProcess({ options: { write } });
  const client = await mcp.connect();
  const call = (name: string, given: Record<string, unknown>) => client.callTool({ name, arguments: given });
  return { mcp, call };
}

describe('a filter', () => {
  it('with an unknown field or value is answered with the known ones by every search', async () => {
    const { mcp, call } = await open();
    await mcp.add('France', 'The capital of France is Paris.');
    for (const [name, given] of [
      ['search_file_knowledge', { query: 'capital' }],
      ['search_file_descriptions', { query: 'France' }],
      ['search_file_descriptions', {}],
      ['corpus_status', { list: true }],
    ] as const) {
      const textFor = async (filters: object) => textOf(await call(name, { ...given, filters }));
      expect(await textFor({ topik: 'x' }), name).toMatch(
        /No document has the field "topik"\. Fields: .*metadata\.topic/,
      );
      expect(await textFor({ topic: { $in: ['italy', 'spain'] } }), name).toMatch(
        /No document has metadata\.topic "italy"; it is "france"\./,
      );
      expect(await textFor({ topic: { $in: ['italy', 'france'] } }), name).toContain('France');
    }
  });

  it('has its fields named by search_file_descriptions and corpus_status', async () => {
    const { mcp, call } = await open();
    await mcp.add('France', 'The capital of France is Paris.');
    const found = await call('search_file_descriptions', {});
    expect(textOf(found)).toContain('Fields for filters: document_type, title, created_at, metadata.topic');
    expect(found.structuredContent).toMatchObject({ filterable_fields: expect.arrayContaining(['metadata.topic']) });
    expect(textOf(await call('corpus_status', {}))).toContain('metadata.topic (string), e.g. "france"');
  });
});

describe('an empty corpus', () => {
  it('names only tools that are offered', async () => {
    const search = { query: 'x' };
    expect(textOf(await (await open()).call('search_file_knowledge', search))).toContain('ingest_text');
    const readOnly = textOf(await (await open(false)).call('search_file_knowledge', search));
    expect(readOnly).toContain('citewell ingest PATH');
    expect(readOnly).toContain('--folder PATH');
    expect(readOnly).not.toContain('ingest_text');
  });

  it('names a folder that is being read in, with its progress', async () => {
    const { mcp } = await open();
    const followed: FollowedFolder[] = [{ path: '/papers', state: 'reading', done: 2, total: 9, failed: 0 }];
    const request = { principal: defaultAdmin, name: 'search_file_knowledge', arguments: { query: 'x' }, folders: [] };
    const outcome = await mcp.backend.call(
      { ...request, absent: [], followed },
      { signal: AbortSignal.timeout(5_000) },
    );
    expect(outcome.isError || outcome.output.text).toContain('being ingested from /papers (2 of 9 files)');
  });
});

describe('adding a document', () => {
  it('calls an unreadable file unsupported, not the arguments invalid', async () => {
    const { mcp, call } = await open();
    await writeFile(join(mcp.folder, 'broken.docx'), 'PK\u0003\u0004junk');
    await writeFile(join(mcp.folder, 'broken.pdf'), '%PDF-1.7\njunk');
    for (const path of ['broken.docx', 'broken.pdf']) {
      const result = await call('ingest_file', { path });
      expect(textOf(result), path).toMatch(/^Error \[unsupported\]: .*broken/);
      expect(textOf(result), path).not.toContain('..');
    }
  });

  it('refuses a file above the limit of its format without reading it', async () => {
    const { mcp, call } = await open();
    const path = join(mcp.folder, 'log.txt');
    await writeFile(path, 'The pier falls dry at neap tides.\n'.repeat(2_000));
    await truncate(path, 101_000_000);
    expect(textOf(await call('ingest_file', { path }))).toMatch(
      /log\.txt has 101 MB; a file of type txt may have 100 MB\. Split it, or raise CITEWELL_MAX_FILE_MB\./,
    );
  });

  it('takes the title of a text from its heading, else from its first line', async () => {
    const { call } = await open();
    const titleOf = async (text: string) =>
      ((await call('ingest_text', { text })).structuredContent as { title: string }).title;
    expect(await titleOf('Preface.\n\n## The tides of Lunga ##\n\nThe pier falls dry.')).toBe('The tides of Lunga');
    expect(await titleOf('\n---\nThe pier falls dry at neap tides.\nNobody minds.')).toBe(
      'The pier falls dry at neap tides.',
    );
  });
});

describe('check_citations', () => {
  it('names an unsupported statement however short, if it has a figure or a name', async () => {
    const { mcp, call } = await open();
    await mcp.add('France', 'The capital of France is Paris.');
    const answer = 'The capital of France is Paris. Dogs fly for free on Mars. It costs 40 euros. I hope this helps.';
    const { structuredContent } = await call('check_citations', { answer });
    expect(structuredContent).toMatchObject({
      total: 3,
      unsupported: [{ text: 'Dogs fly for free on Mars.' }, { text: 'It costs 40 euros.' }],
    });
  });
});

it('the coverage of a search is the same over HTTP, where explain asks for it', async () => {
  const http = await startCitewell();
  try {
    await (await http.post('/v3/documents', { raw_text: 'The capital of France is Paris.' })).json();
    const coverageOf = async (query: string) => {
      const response = await http.post('/v3/retrieval/search', { query, explain: true });
      const { results } = (await response.json()) as { results: { explanation: { coverage: unknown } } };
      return results.explanation.coverage;
    };
    expect(await coverageOf('capital of France')).toEqual({ score: 1, missing: [] });
    expect(await coverageOf('submarine of France')).toEqual({ score: 0.5, missing: ['submarine'] });
  } finally {
    await http.close();
  }
});
