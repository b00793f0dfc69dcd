import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatReply, startFakeOpenAi } from '../../support/fake-openai.ts';
import { startCitewell } from '../support/start-citewell.ts';
import type { RunningHttp } from '../support/start-http.ts';

let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
let http: RunningHttp;

beforeAll(async () => {
  provider = await startFakeOpenAi();
  provider.otherwise(({ body }) => chatReply({ text: `Reply to ${JSON.stringify(body.messages).length}.` }));
  http = await startCitewell({
    models: {
      providers: [{ name: 'fake', baseUrl: provider.baseUrl }],
      models: { quality: 'fake/gpt', fast: 'fake/small' },
    },
  });
});
afterAll(async () => {
  await http.close();
  await provider.close();
});

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client without types would
async function read(response: Response | Promise<Response>): Promise<{ status: number; body: any }> {
  const answered = await response;
  return { status: answered.status, body: await answered.json() };
}

const upload = (fields: object) => read(http.post('/v3/documents', fields));
const get = (path: string) => read(fetch(`${http.url}/v3${path}`));

const KAFKA =
  'As Gregor Samsa awoke one morning from uneasy dreams he found himself transformed in his bed into a gigantic insect.....';

describe('ingestion_config', () => {
  it.each([
    [{ chunking_strategy: 'recursive', chunk_size: 10, chunk_overlap: 0 }, 17],
    [{ chunking_strategy: 'recursive', chunk_size: 100, chunk_overlap: 20 }, 2],
    [{ chunkingStrategy: 'character', chunkSize: 10, chunkOverlap: 0 }, 1],
    [{ chunking_strategy: 'by_title', vlm_batch_size: 3, provider: 'r2r', unheard_of: true }, 1],
  ])('splits as configured by %j', async (ingestion_config, chunks) => {
    const id = crypto.randomUUID();
    const { status } = await upload({ raw_text: KAFKA, id, ingestion_config });
    expect(status).toBe(202);
    expect((await get(`/documents/${id}/chunks`)).body.total_entries).toBe(chunks);
  });

  it('enriches chunks with a model, and shows them without the added context', async () => {
    const asked = provider.requests.length;
    const id = crypto.randomUUID();
    const chunk_enrichment_settings = {
      enable_chunk_enrichment: true,
      n_chunks: 1,
      generation_config: { model: 'fake/tiny', max_tokens: 60 },
    };
    const fields = {
      chunks: ['One passage.', 'Another passage.'],
      id,
      ingestion_config: { chunk_enrichment_settings },
    };
    const estimate = await upload({ ...fields, run_type: 'estimate', collections: ['Only estimated'] });
    expect(estimate.body.results).toMatchObject({
      document_id: null,
      estimate: { model: 'fake/tiny', chunks: 2, known_chunks: 0, calls: 2, cost_usd: null },
    });
    expect((await get(`/documents/${id}`)).status).toBe(404);
    expect((await get('/collections/name/Only%20estimated')).status).toBe(404);
    expect(provider.requests.length).toBe(asked);
    expect((await upload(fields)).status).toBe(202);
    expect(
      provider.requests.slice(asked).map(({ body }) => [body.model, body.max_completion_tokens ?? body.max_tokens]),
    ).toEqual([
      ['tiny', 60],
      ['tiny', 60],
    ]);
    const chunks = (await get(`/documents/${id}/chunks`)).body.results;
    expect(chunks.map(({ text }: { text: string }) => text)).toEqual(['One passage.', 'Another passage.']);
    expect(JSON.stringify(chunks)).not.toContain('Reply to');
  });

  it('uses the current version of the prompt', async () => {
    const changed = { template: 'CHANGED {chunk}' };
    await read(http.post('/v3/prompts/chunk_enrichment', changed, { method: 'PUT' }));
    const chunk_enrichment_settings = { enable_chunk_enrichment: true };
    await upload({ chunks: ['A third passage.'], ingestion_config: { chunk_enrichment_settings } });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('CHANGED A third passage.');
  });

  it('refuses settings that it does not support', async () => {
    const excluded = await upload({ raw_text: 'Plain.', ingestion_config: { excluded_parsers: ['txt'] } });
    expect(excluded).toMatchObject({ status: 415, body: { message: expect.stringContaining('excluded_parsers') } });
    const unknown = await upload({ raw_text: 'Plain two.', ingestion_config: { document_summary_model: 'nobody/x' } });
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    const unknownStrategy = await upload({
      raw_text: 'Plain three.',
      ingestion_config: { chunking_strategy: 'magic' },
    });
    expect(unknownStrategy.status).toBe(422);
    const looked = await upload({ raw_text: 'Plain four.', ingestion_mode: 'hi-res' });
    expect(looked.body.results.message).toContain('CITEWELL_READ_IMAGES');
  });

  it('returns the vector of a summary on request', async () => {
    await upload({ raw_text: 'A text of its own that has a summary.' });
    const { body } = await get('/documents?include_summary_embeddings=true&limit=1');
    expect(body.results[0].summary_embedding.length).toBeGreaterThan(100);
    expect((await get('/documents?limit=1')).body.results[0].summary_embedding).toBeNull();
  });
});
