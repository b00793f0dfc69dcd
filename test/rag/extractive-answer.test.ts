import { describe, expect, it } from 'vitest';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive-model.ts';
import { createAnswerer } from '../../src/rag/answer-question.ts';
import { collectAnswer } from '../../src/rag/collect-answer.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import type { WebResult, WebSearch } from '../../src/web/web-search.ts';
import { finding, foundChunk } from '../support/found.ts';
import { onlyModel } from '../support/scripted-model.ts';

const tower = foundChunk(
  'The Eiffel Tower is a wrought-iron tower in Paris. It was designed by the company of Gustave Eiffel.\n' +
    'It was finished in 1889 for the World’s Fair.[3] The tower is 330 metres tall.',
  { start: 200, page: 4, metadata: { title: 'Sights of Paris' } },
);
const bridge = foundChunk('The Golden Gate Bridge opened in 1937. Its towers are 227 metres tall.', {
  start: 7,
  metadata: { title: 'Bridges' },
});

function ask(query: string, chunks: readonly ScoredChunk[] = [tower, bridge], webSearch?: WebSearch) {
  const model = createExtractiveModel();
  return createAnswerer({
    retriever: finding(...chunks),
    models: onlyModel(model),
    analyser: { analyse, analyseQuery },
    webSearch,
  }).answer(
    {
      query,
      search: defaultSearchSettings,
      generation: {},
      includeTitle: false,
      includeWebSearch: webSearch !== undefined,
    },
    new AbortController().signal,
  );
}

describe('an answer without a language model', () => {
  it('labels itself, then quotes, each with its marker, document and page', async () => {
    const answer = await collectAnswer(ask('How tall is the Eiffel Tower?', [tower]));
    expect(answer.text).toMatch(
      /^Answered without a language model; these passages match your question best:\n\n“The tower is 330 metres tall\.” \[1\]\n— Sights of Paris, page 4/,
    );
    expect(answer).toMatchObject({ mode: 'extractive', model: 'builtin/extractive', stopReason: 'end' });
  });

  it('emits the same events as a model’s answer', async () => {
    const events = await Array.fromAsync(ask('When did the Golden Gate Bridge open?', [bridge]));
    expect(events.map(({ type }) => type).slice(0, 5)).toEqual([
      'search_results',
      'message',
      'message',
      'citation',
      'message',
    ]);
    expect(events.at(-1)?.type).toBe('final_answer');
  });

  it('cites exact offsets', async () => {
    const { text, citations } = await collectAnswer(ask('How tall is the tower, and when was it finished?'));
    expect(citations.length).toBeGreaterThan(0);
    for (const { number, source, spans, quotes } of citations) {
      for (const { start, end } of spans) expect(text.slice(start, end)).toBe(`[${number}]`);
      if (source.kind !== 'chunk') throw new Error('only chunks were found');
      for (const quote of quotes) {
        const { chunk } = source;
        expect(chunk.text.slice(quote.start - chunk.start, quote.end - chunk.start)).toBe(quote.text);
      }
    }
  });

  it('escapes note marks of a document, which look like its own markers', async () => {
    const { text, citations } = await collectAnswer(ask('When was the Eiffel Tower finished?'));
    const spans = citations.flatMap((citation) => citation.spans.map(({ start }) => start));
    expect(text).toContain('World’s Fair.');
    expect([...text.matchAll(/\[\d+\]/g)].map(({ index }) => index).toSorted()).toEqual(spans.toSorted());
    expect(citations.flatMap(({ quotes }) => quotes.map((quote) => quote.text)).join()).toContain('World’s Fair.[3]');
  });

  it.each([
    ['nothing was found', 'What is the capital of Mars?', []],
    ['what was found is about other things', 'What is the capital of Mars?', [tower, bridge]],
  ])('says plainly that nothing supports an answer when %s', async (_name, query, chunks) => {
    const answer = await collectAnswer(ask(query, chunks));
    expect(answer.text).toBe('Answered without a language model; nothing found supports an answer to this question.');
    expect(answer.citations).toEqual([]);
  });

  const searching = (...found: readonly Pick<WebResult, 'title' | 'url' | 'snippet'>[]): WebSearch => ({
    engines: ['test'],
    search: async ({ text }) => ({
      query: text,
      engine: 'test',
      related: [],
      questions: [],
      notes: [],
      results: found.map((one, index) => ({ ...one, id: one.url, position: index + 1, date: null, sitelinks: [] })),
    }),
  });
  const repainting = {
    title: 'The tower [2] is painted again',
    url: 'https://news.example/tower[1]?page=2',
    snippet: 'The Eiffel Tower was repainted in golden brown in 2021.[7] It took sixty tons of paint.',
  };

  it('quotes web results too, labelled as such', async () => {
    const { text, citations, web } = await collectAnswer(
      ask('When was the Eiffel Tower repainted?', [tower, bridge], searching(repainting)),
    );
    expect(text).toContain(
      '“The Eiffel Tower was repainted in golden brown in 2021.[\u20607]” [3]\n' +
        '— from the web: The tower [\u20602] is painted again, https://news.example/tower%5B1%5D?page=2',
    );
    const cited = citations.find(({ number }) => number === 3);
    expect(cited?.source).toMatchObject({ kind: 'web', page: { kind: 'result', url: repainting.url, position: 1 } });
    expect(cited?.spans.map(({ start, end }) => text.slice(start, end))).toEqual(['[3]']);
    for (const quote of cited?.quotes ?? []) {
      expect(repainting.snippet.slice(quote.start, quote.end)).toBe(quote.text);
    }
    expect(citations.filter(({ source }) => source.kind === 'web').map(({ id }) => id)).toEqual(['cit.3']);
    expect([...text.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)).toSorted()).toEqual(
      citations.flatMap(({ number, spans }) => spans.map(() => number)).toSorted(),
    );
    expect(web?.results.length).toBe(1);
  });

  it('answers from the web only when the documents contain nothing', async () => {
    const fromWeb = await collectAnswer(ask('When was the Eiffel Tower repainted?', [], searching(repainting)));
    expect(fromWeb.citations.map(({ id, source }) => [id, source.kind])).toEqual([['cit.1', 'web']]);
    const own = await collectAnswer(ask('How tall is the Golden Gate Bridge?', [bridge], searching(repainting)));
    expect(own.citations.map(({ source }) => source.kind)).toEqual(['chunk']);
  });

  it('says plainly that nothing supports an answer when the web has nothing either', async () => {
    const answer = await collectAnswer(ask('What is the capital of Mars?', [tower], searching(repainting)));
    expect([answer.text, answer.citations]).toEqual([
      'Answered without a language model; nothing found supports an answer to this question.',
      [],
    ]);
  });

  it('labels its quotes as the closest passages when it is uncertain', async () => {
    const scored = [tower, bridge].map((chunk, index) => ({ ...chunk, fullText: { rank: index + 1, score: 0.33 } }));
    const answer = await collectAnswer(ask('Who bought the company of Eiffel in Lyon?', scored));
    expect(answer.text).toMatch(
      /^Answered without a language model; it is uncertain whether the documents answer this\. The closest passages:\n\n“The Eiffel/,
    );
    expect(answer.support).toBe('closest');
    const sure = await collectAnswer(ask('When did the Golden Gate Bridge open?', [tower, bridge]));
    expect(sure.support).toBe('answer');
  });

  it('names row and column of a table cell', async () => {
    const rents = foundChunk('| City | Rent (EUR/m²) |\n|---|---|\n| Bonn | 12.10 |\n| Cologne | 13.40 |');
    const { text } = await collectAnswer(ask('How much is the rent in Bonn?', [rents]));
    expect(text).toContain('“| Bonn | 12.10 |” [1]\n— Guide; Bonn, Rent (EUR/m²): 12.10');
  });
});
