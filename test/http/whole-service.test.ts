import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerCheckRecord } from '../../src/toolbox/answer-check-record.ts';
import { makeZip } from '../ingest/make-docx.ts';
import { presentationParts, shape } from '../ingest/make-office.ts';
import { makePdf } from '../ingest/make-pdf.ts';
import { chatReply, openAiError, startFakeOpenAi } from '../support/fake-openai.ts';
import { startCitewell } from './support/start-citewell.ts';
import type { RunningHttp } from './support/start-http.ts';

const lisbon = 'The capital of Portugal is Lisbon. It lies on the Tagus.';

interface Streamed {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are read as a client without types would
  readonly data: any;
}

function eventsOf(text: string): Streamed[] {
  return [...text.matchAll(/event: (.*)\ndata: (.*)\n\n/g)].map(([, name = '', data = '']) => ({
    name,
    data: data === '[DONE]' ? data : JSON.parse(data),
  }));
}

describe('with a language model', () => {
  let provider: Awaited<ReturnType<typeof startFakeOpenAi>>;
  let http: RunningHttp;
  let documentId: string;

  beforeAll(async () => {
    provider = await startFakeOpenAi();
    http = await startCitewell({
      models: {
        providers: [{ name: 'fake', baseUrl: provider.baseUrl }],
        models: { quality: 'fake/gpt' },
        retry: { maxTries: 1, firstDelayMs: 1, maxDelayMs: 1, maxTotalWaitMs: 1 },
      },
    });
    const response = await http.post('/v3/documents', { raw_text: lisbon, metadata: { title: 'Capitals' } });
    const { results } = (await response.json()) as { results: { document_id: string } };
    documentId = results.document_id;
  });
  afterAll(async () => {
    await http.close();
    await provider.close();
  });

  const ask = (body: object, init?: RequestInit) =>
    http.post(
      '/v3/retrieval/rag',
      { query: 'capital of Portugal', rag_generation_config: { stream: true }, ...body },
      init,
    );

  it('streams an answer whose citation leads to the exact passage in the document', async () => {
    provider.next(chatReply({ text: 'Portugal is governed from Lisbon [1]. So it is [1].' }));
    const events = eventsOf(await (await ask({})).text());
    const names = events.map(({ name }) => name);
    expect([names[0], ...names.slice(-2)]).toEqual(['search_results', 'final_answer', 'done']);
    const said = events.flatMap(({ name, data }) => (name === 'message' ? [data.delta.content[0].payload.value] : []));
    const final = events.at(-2)?.data;
    expect(said.join('')).toBe(final.generated_answer);
    expect(final.citations).toHaveLength(1);
    const [{ id, payload, spans }] = final.citations;
    expect([id, spans.length, payload.document_id]).toEqual(['cit.1', 2, documentId]);
    for (const { start, end } of spans) expect(final.generated_answer.slice(start, end)).toBe('[1]');
    const passage = await fetch(
      `${http.url}/v3/documents/${documentId}/text?start=${payload.start}&end=${payload.end}`,
    );
    const { results } = (await passage.json()) as { results: { text: string } };
    expect(results.text).toBe(payload.quotes[0].text);
    expect(lisbon).toContain(results.text);
    const cited = events.filter(({ name }) => name === 'citation');
    expect(cited.map(({ data }) => [data.is_new, data.payload === null])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('cancels the model’s stream when its client disconnects', async () => {
    const reply = chatReply({ text: 'Lisbon it is' });
    provider.next({ ...reply, steps: [...reply.steps.slice(0, 3), { hang: true }] });
    const leaving = new AbortController();
    const response = await ask({}, { signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    while (!seen.includes('event: message')) seen += (await reader?.read())?.value ?? '';
    leaving.abort();
    expect(await provider.requests.at(-1)?.end).toBe('left');
  });

  it('ends with an error event when the model’s server cuts the stream', async () => {
    const reply = chatReply({ text: 'Lisbon it is' });
    provider.next({ ...reply, steps: [...reply.steps.slice(0, 3), { cut: true }] });
    const names = eventsOf(await (await ask({})).text()).map(({ name }) => name);
    expect(names.slice(-2)).toEqual(['error', 'done']);
    expect(names).not.toContain('final_answer');
  });

  it('passes on a rate limit with the time to wait', async () => {
    provider.next(openAiError(429, 'Slow down.', { headers: { 'Retry-After': '7' } }));
    const response = await http.post('/v3/retrieval/completion', { messages: [{ role: 'user', content: 'Hi' }] });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
  });
});

// Both halves form one chunk, which spans the page break and two headings.
const gardenPdf = makePdf([
  [
    { text: 'Garden', x: 72, y: 760, size: 20, isBold: true },
    { text: 'The oak by the gate was planted in 1911.', x: 72, y: 700 },
  ],
  [{ text: 'The walnut behind the barn was planted in 1954.', x: 72, y: 760 }],
]);
const gardenNotes =
  '# Garden notes\n\n## Pears\n\nPears ripen in September.\n\n## Quinces\n\nQuinces ripen in late October.\n';

describe('without a language model', () => {
  let http: RunningHttp;
  beforeAll(async () => {
    http = await startCitewell();
    await http.post('/v3/documents', { raw_text: lisbon });
  });
  afterAll(() => http.close());

  it('checks an external answer, and links to the supporting passage', async () => {
    const answer = 'The capital of Portugal is Lisbon. It lies on the Danube, which is 2850 kilometres long.';
    const response = await http.post('/v3/retrieval/check', { answer });
    expect(response.status).toBe(200);
    const { results } = (await response.json()) as { results: AnswerCheckRecord };
    expect([results.supported, results.total]).toEqual([1, 2]);
    expect(results.unsupported).toEqual([{ start: 35, end: 88, text: answer.slice(35) }]);
    const evidence = results.statements[0]?.evidence;
    expect(evidence).toMatchObject({ quote: 'The capital of Portugal is Lisbon', start: 0, end: 33 });
    expect(evidence?.link).toBe(`${http.url}/d/${evidence?.document_id}?q=0-33`);
    const given = await http.post('/v3/retrieval/check', {
      answer: `${answer} [2]`,
      sources: [evidence?.chunk_id, 'Other words.'],
    });
    const second = ((await given.json()) as { results: AnswerCheckRecord }).results;
    expect(second.statements[1]?.citations).toEqual([{ marker: 2, verdict: 'not_found' }]);
    for (const body of [
      {},
      { answer: '' },
      { answer: 'a'.repeat(40_001) },
      { answer, sources: [{}] },
      { answer, sources: [7] },
    ]) {
      const refused = await http.post('/v3/retrieval/check', body);
      expect([400, 422]).toContain(refused.status);
    }
    const missing = await http.post('/v3/retrieval/check', {
      answer,
      document_ids: ['00000000-0000-4000-8000-000000000000'],
    });
    expect(missing.status).toBe(404);
  });

  it('names page and headings of the quote, not of its passage', async () => {
    const form = new FormData();
    form.set('file', new File([Buffer.from(gardenPdf)], 'garden.pdf', { type: 'application/pdf' }));
    expect((await fetch(`${http.url}/v3/documents`, { method: 'POST', body: form })).ok).toBe(true);
    await http.post('/v3/documents', { raw_text: gardenNotes });
    const quoteFor = async (query: string) => {
      const response = await http.post('/v3/retrieval/rag', { query });
      const { results } = (await response.json()) as {
        results: { generated_answer: string; citations: { payload: { page: number; quotes: object[] } }[] };
      };
      return results;
    };
    const walnut = await quoteFor('When was the walnut behind the barn planted?');
    expect(walnut.citations[0]?.payload).toMatchObject({
      page: 2,
      quotes: [{ text: 'The walnut behind the barn was planted in 1954.', page: 2 }],
    });
    expect(walnut.generated_answer).toContain('— garden.pdf, page 2');
    const oak = await quoteFor('When was the oak by the gate planted?');
    expect(oak.citations[0]?.payload.quotes[0]).toMatchObject({ page: 1 });
    const quinces = await quoteFor('When do quinces ripen?');
    expect(quinces.citations[0]?.payload.quotes[0]).toMatchObject({
      text: 'Quinces ripen in late October.',
      heading_path: ['Garden notes', 'Quinces'],
    });
  });

  it('cites a slide of a presentation as a slide', async () => {
    const slides = ['Ferries', 'Moorings', 'Cranes'].map((title) => ({
      shapes:
        shape('title', title) + shape('body', `The report on ${title.toLowerCase()} is due in ${title.length} weeks.`),
    }));
    const form = new FormData();
    form.set('file', new File([Buffer.from(makeZip(presentationParts(slides)))], 'harbour.pptx'));
    expect((await fetch(`${http.url}/v3/documents`, { method: 'POST', body: form })).ok).toBe(true);
    const answered = await http.post('/v3/retrieval/rag', { query: 'When is the report on moorings due?' });
    expect(await answered.json()).toMatchObject({
      results: {
        generated_answer: expect.stringContaining('— harbour.pptx, slide 2'),
        citations: [{ payload: { page: 2, metadata: { document_type: 'pptx' } } }],
      },
    });
    const answer = 'The report on moorings is due in 8 weeks.';
    const checked = await http.post('/v3/retrieval/check', { answer });
    expect(await checked.json()).toMatchObject({
      results: { statements: [{ verdict: 'verbatim', evidence: { document_type: 'pptx', page: 2 } }] },
    });
  });

  it('answers by quoting, and says that it does', async () => {
    const response = await http.post('/v3/retrieval/rag', { query: 'What is the capital of Portugal?' });
    expect(await response.json()).toMatchObject({
      generated_answer: expect.stringContaining('The capital of Portugal is Lisbon.'),
      citations: [
        { id: 'cit.1', payload: { quotes: [{ text: 'The capital of Portugal is Lisbon.', start: 0, end: 34 }] } },
      ],
      results: { metadata: { model: 'builtin/extractive', mode: 'extractive' } },
    });
  });

  it('says plainly when nothing found supports an answer', async () => {
    const response = await http.post('/v3/retrieval/rag', { query: 'Who wrote Hamlet?' });
    expect(await response.json()).toMatchObject({ generated_answer: expect.any(String), citations: [] });
  });

  it('refuses a completion and names the variables to set', async () => {
    for (const stream of [false, true]) {
      const messages = [{ role: 'user', content: 'Hi' }];
      const response = await http.post('/v3/retrieval/completion', { messages, generation_config: { stream } });
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'not_configured', message: expect.stringContaining('OPENAI_API_KEY') }),
      ]);
    }
  });

  it('applies each filter before the limit', async () => {
    for (let year = 2000; year < 2010; year++) {
      await http.post('/v3/documents', { raw_text: `Report of the year ${year}.`, metadata: { year } });
    }
    const search = async (filters: object) => {
      const response = await http.post('/v3/retrieval/search', {
        query: 'report',
        search_settings: { filters, limit: 2 },
      });
      const { results } = (await response.json()) as {
        results: { chunk_search_results: { metadata: { year: number } }[] };
      };
      return results.chunk_search_results.map(({ metadata }) => metadata.year).sort();
    };
    expect(await search({ year: { $in: [2003] } })).toEqual([2003]);
    expect(await search({ 'metadata.year': { $gte: 2008 } })).toEqual([2008, 2009]);
    expect(await search({ $or: [{ year: 2001 }, { year: 2004 }] })).toEqual([2001, 2004]);
    expect(await search({ nobody_has_this: 1 })).toEqual([]);
  });
});
