import { describe, expect, it } from 'vitest';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive-model.ts';
import { createAnswerer } from '../../src/rag/answer-question.ts';
import { collectAnswer } from '../../src/rag/collect-answer.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
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

function ask(query: string, chunks: readonly ScoredChunk[] = [tower, bridge]) {
  const model = createExtractiveModel();
  return createAnswerer({
    retriever: finding(...chunks),
    models: onlyModel(model),
    analyser: { analyse, analyseQuery },
  }).answer(
    { query, search: defaultSearchSettings, generation: {}, includeTitle: false },
    new AbortController().signal,
  );
}

describe('an answer without a language model', () => {
  it('says what it is, then quotes, each with its marker, document and page', async () => {
    const answer = await collectAnswer(ask('How tall is the Eiffel Tower?', [tower]));
    expect(answer.text).toMatch(
      /^No language model is configured; these passages match your question best:\n\n“The tower is 330 metres tall\.” \[1\]\n— Sights of Paris, page 4/,
    );
    expect(answer).toMatchObject({ mode: 'extractive', model: 'builtin/extractive', stopReason: 'end' });
  });

  it('comes as the same events as a model’s answer', async () => {
    const events = await Array.fromAsync(ask('When did the Golden Gate Bridge open?', [bridge]));
    expect(events.map(({ type }) => type).slice(0, 5)).toEqual([
      ...['search_results', 'message', 'message', 'citation', 'message'],
    ]);
    expect(events.at(-1)?.type).toBe('final_answer');
  });

  it('cites the passages to the character', async () => {
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

  it('keeps note marks of a document from passing for its own markers', async () => {
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
    expect(answer.text).toBe('No language model is configured, and nothing found supports an answer to this question.');
    expect(answer.citations).toEqual([]);
  });
});
