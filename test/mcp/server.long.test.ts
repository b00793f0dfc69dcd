import { describe, expect, it } from 'vitest';
import { toolsets } from '../../src/compose/toolsets.ts';
import { INSTRUCTIONS } from '../../src/mcp/instructions.ts';
import { PROMPTLY_MS } from '../support/patience.ts';
import { textOf } from './support/citewell-mcp.ts';
import { startInProcess } from './support/in-process.ts';

type Schema = { readonly [key: string]: unknown };

describe('the list of tools', () => {
  it('has at most ten tools by default, none that changes the corpus, in a fixed order and under 24 kB', async () => {
    const client = await (await startInProcess()).connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "search_file_knowledge",
        "search_file_descriptions",
        "content",
        "get_file_content",
        "web_scrape",
        "rag",
        "python_executor",
        "check_citations",
        "corpus_status",
      ]
    `);
    expect(tools.length).toBeLessThanOrEqual(10);
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'python_executor',
    ]);
    expect(JSON.stringify({ tools }).length).toBeLessThan(24_000);
  });

  it.each(['legacy', 'modern'] as const)('describes each tool completely and in portable schemas (%s)', async (era) => {
    const mcp = await startInProcess({ options: { toolsets: Object.keys(toolsets) } });
    const { tools } = await (await mcp.connect(era)).listTools();
    expect(tools.length).toBeGreaterThan(12);
    for (const { name, title, description = '', annotations, inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(title).toBeTruthy();
      expect(description.length, name).toBeLessThanOrEqual(2_048);
      expect(Object.values(annotations ?? {}).filter((value) => typeof value === 'boolean')).toHaveLength(4);
      expect(lint(inputSchema as Schema, name)).toEqual([]);
      expect((outputSchema as Schema | undefined)?.['type'], name).toBe('object');
      for (const [member, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect((schema as Schema)['description'], `${name}.${member}`).toBeTruthy();
      }
    }
  });

  it('is limited to the selected tools, and under readOnly to those that change nothing', async () => {
    const exact = await startInProcess({ options: { tools: ['search_file_knowledge', 'ingest_text'] } });
    const names = async (mcp: typeof exact) => (await (await mcp.connect()).listTools()).tools.map(({ name }) => name);
    expect(await names(exact)).toEqual(['search_file_knowledge', 'ingest_text']);
    const readOnly = await startInProcess({ options: { toolsets: ['ingest', 'openai'], readOnly: true } });
    expect(await names(readOnly)).toEqual(['search', 'fetch']);
    await expect(startInProcess({ options: { tools: ['serach'] } })).rejects.toThrow(
      /Unknown tool "serach". Known: search_file_knowledge/,
    );
    await expect(startInProcess({ options: { toolsets: ['al'] } })).rejects.toThrow(
      /Unknown toolset "al". Known: retrieval/,
    );
  });

  it('omits tools named by --exclude-tools in any case', async () => {
    const mcp = await startInProcess({ options: { toolsets: ['retrieval'], excludeTools: ['content'] } });
    const { tools } = await (await mcp.connect()).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_file_knowledge',
      'search_file_descriptions',
      'get_file_content',
    ]);
    const only = { tools: ['content', 'rag'], excludeTools: ['content'] };
    const { tools: rest } = await (await (await startInProcess({ options: only })).connect()).listTools();
    expect(rest.map(({ name }) => name)).toEqual(['rag']);
    await expect(startInProcess({ options: { excludeTools: ['contents'] } })).rejects.toThrow(
      /Unknown tool "contents"/,
    );
  });

  it.each(['legacy', 'modern'] as const)(
    'is selected by the connection, within the configured tools (%s)',
    async (era) => {
      const mcp = await startInProcess();
      const names = async (over: { path?: string; headers?: Record<string, string> }) =>
        (await (await mcp.connect(era, over)).listTools()).tools.map(({ name }) => name);
      const usual = await names({});
      expect(usual).toContain('python_executor');
      expect(await names({ path: '/readonly' })).toEqual(usual.filter((name) => name !== 'python_executor'));
      expect(await names({ headers: { 'X-MCP-Toolsets': 'openai, proof' } })).toEqual([
        'check_citations',
        'search',
        'fetch',
      ]);
      // Nobody has offered to change the corpus.
      expect(await names({ headers: { 'X-MCP-Toolsets': 'ingest,corpus' } })).toEqual(['corpus_status']);
      const writing = await startInProcess({ options: { write: true } });
      const client = await writing.connect(era, { headers: { 'X-MCP-Toolsets': 'ingest' } });
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ingest_text');
      const readers = await writing.connect(era, { path: '/readonly', headers: { 'X-MCP-Toolsets': 'ingest,corpus' } });
      expect((await readers.listTools()).tools.map(({ name }) => name)).toEqual(['corpus_status']);
      const refused = await fetch(mcp.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-mcp-toolsets': 'everything' },
        body: '{}',
      });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('Unknown toolset \\"everything\\". Known: retrieval, ');
    },
  );

  it('reports in corpus_status which tools are absent, why, and what to set', async () => {
    const mcp = await startInProcess();
    const { structuredContent } = await (await mcp.connect()).callTool({ name: 'corpus_status', arguments: {} });
    const absent = (structuredContent as { absent_tools: { name: string; reason: string }[] }).absent_tools;
    expect(absent.find(({ name }) => name === 'reasoning')?.reason).toContain('OPENAI_API_KEY');
    expect(absent.find(({ name }) => name === 'ingest_text')?.reason).toContain('--write');
    expect(absent.find(({ name }) => name === 'search')?.reason).toContain('--toolsets');
  });

  it('has instructions for hosts of under 600 characters', () => {
    expect(INSTRUCTIONS.length).toBeLessThan(600);
  });
});

describe('a call', () => {
  it('accepts aliases and stringified arguments', async () => {
    const mcp = await startInProcess();
    await mcp.add('France', 'The capital of France is Paris.');
    const client = await mcp.connect();
    const result = await client.callTool({
      name: 'search_file_knowledge',
      arguments: { question: 'capital of France', top_k: '1', filters: '{"metadata.topic": {"$eq": "france"}}' },
    });
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toContain('The capital of France is Paris.');
  });

  it.each([
    ['search_file_knowledge', { query: '' }, 'invalid_argument'],
    ['search_file_knowledge', { query: 'x', filters: { year: { $near: 1 } } }, 'invalid_argument'],
    ['search_file_knowledge', { query: 'x', cursor: 'bm8' }, 'invalid_argument'],
    ['content', {}, 'invalid_argument'],
    ['content', { document_id: '00000000-0000-4000-8000-000000000000' }, 'not_found'],
    ['get_file_content', { document_id: 'nothing' }, 'not_found'],
    ['corpus_status', { document_id: 'nothing' }, 'not_found'],
    ['ingest_file', { path: '/etc/passwd' }, 'invalid_argument'],
    ['ingest_file', { path: '../citewell.db' }, 'invalid_argument'],
    ['ingest_url', { url: 'http://127.0.0.1:1/secret' }, 'invalid_argument'],
    ['ingest_text', { text: '   ' }, 'invalid_argument'],
    ['delete_document', { document_id: 'nothing' }, 'not_found'],
    ['fetch', { id: 'nothing' }, 'not_found'],
  ])('of %s with %j fails with a code, a cause and a next step', async (name, given, code) => {
    const mcp = await startInProcess({ options: { toolsets: Object.keys(toolsets) } });
    const result = await (await mcp.connect()).callTool({ name, arguments: given });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(new RegExp(`^Error \\[${code}\\]: .+ Next step: .+`, 's'));
    expect(result._meta).toMatchObject({ 'citewell/error': { code, retryable: false } });
    expect(result.structuredContent).toBeUndefined();
  });

  it('of an unknown tool is a protocol error', async () => {
    const client = await (await startInProcess()).connect();
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });

  it.each(['legacy', 'modern'] as const)('ends promptly when it is cancelled (%s)', async (era) => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<number>();
    const mcp = await startInProcess({
      change: ({ retriever }) => ({
        retriever: {
          ...retriever,
          search: (_query, _settings, signal) =>
            new Promise((_found, reject) => {
              begun.resolve();
              signal.addEventListener('abort', () => {
                ended.resolve(performance.now());
                reject(signal.reason);
              });
            }),
        },
      }),
    });
    const client = await mcp.connect(era);
    const calling = new AbortController();
    const call = client.callTool(
      { name: 'search_file_knowledge', arguments: { query: 'anything' } },
      { signal: calling.signal },
    );
    call.catch(() => {});
    await begun.promise;
    const calledOffAt = performance.now();
    calling.abort();
    expect((await ended.promise) - calledOffAt).toBeLessThan(PROMPTLY_MS);
    await expect(call).rejects.toThrow();
  });

  it.each(['legacy', 'modern'] as const)('that is long sends increasing progress (%s)', async (era) => {
    const mcp = await startInProcess({ options: { write: true } });
    const seen: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const text = Array.from(
      { length: 400 },
      (_, index) => `Paragraph ${index} tells of the number ${index}.\n\n${'Words. '.repeat(60)}`,
    ).join('\n\n');
    const result = await (await mcp.connect(era)).callTool(
      { name: 'ingest_text', arguments: { title: 'Long', text } },
      { onprogress: (step) => seen.push(step) },
    );
    expect(result.structuredContent).toMatchObject({ outcome: 'ingested' });
    expect(seen.map(({ message }) => message)).toContain('embedding');
    const numbers = seen.map(({ progress }) => progress);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });
});

/** Schema constructs that some hosts or models reject. */
function lint(schema: Schema, path: string): string[] {
  const problems: string[] = [];
  if (schema['type'] !== 'object') problems.push(`${path}: not an object`);
  const visit = (value: unknown, at: string, isTop: boolean) => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) visit(each, `${at}[${index}]`, false);
      return;
    }
    for (const [key, member] of Object.entries(value)) {
      if (['$ref', '$defs', 'definitions'].includes(key)) problems.push(`${at}: ${key}`);
      if (isTop && ['oneOf', 'anyOf', 'allOf'].includes(key)) problems.push(`${at}: ${key}`);
      if (key === 'type' && (Array.isArray(member) || member === 'null')) problems.push(`${at}: type ${member}`);
      // A strict conversion for OpenAI closes every object, and refuses one that says that it is open.
      if (key === 'additionalProperties' && member !== false) problems.push(`${at}: open object`);
      if (key === 'pattern') problems.push(`${at}: pattern`);
      if (key === 'enum' && (member as unknown[]).some((each) => typeof each !== 'string'))
        problems.push(`${at}: enum`);
      visit(member, `${at}.${key}`, false);
    }
  };
  visit(schema, path, true);
  return problems;
}
