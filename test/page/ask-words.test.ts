import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/page/app/views/ask/answer-state.ts';
import { askRequest, noScope, readAskParameters } from '../../src/page/app/views/ask/ask-parameters.ts';
import { nextSpoken } from '../../src/page/app/views/ask/spoken-sentences.ts';
import { describeStep } from '../../src/page/app/views/ask/steps.ts';

describe('the screen reader announcement', () => {
  /** What is announced to screen readers for a text that arrives in these pieces. */
  const announced = (...pieces: readonly string[]): string[] => {
    const said: string[] = [];
    let text = '';
    let upTo = 0;
    const take = (isComplete: boolean) => {
      const next = nextSpoken(text, upTo, isComplete);
      upTo = next.upTo;
      if (next.text !== '') said.push(next.text);
    };
    for (const piece of pieces) {
      text += piece;
      take(false);
    }
    take(true);
    return said;
  };

  it('comes sentence by sentence, each once', () => {
    expect(announced('The ma', 'te does [1]. Dogs', ' travel free. ', 'Cats do not')).toEqual([
      'The mate does.',
      'Dogs travel free.',
      'Cats do not',
    ]);
  });

  it('waits for the space after a full stop', () => {
    expect(announced('It costs 2.', '50 kroner.', ' Really.')).toEqual(['It costs 2.50 kroner.', 'Really.']);
  });

  it('omits markers, Markdown syntax and URLs', () => {
    expect(announced('## **Who**\n\n- The [mate](https://a.b) does.[1] ')).toEqual(['Who The mate does.']);
  });

  it('does not end a sentence at the number of a list or an initial', () => {
    expect(announced('1. The mate of J. ', 'Smith does. ')).toEqual(['1. The mate of J. Smith does.']);
  });

  it('recognises full stops of other scripts', () => {
    expect(announced('救生筏由大副检查。狗', '免费。')).toEqual(['救生筏由大副检查。', '狗免费。']);
  });
});

describe('descriptions of steps', () => {
  const step = (name: string, given: Step['arguments'], result?: string, isError = false): string =>
    describeStep({ id: '1', name, arguments: given, isError, ...(result !== undefined && { result }) });

  it.each([
    [step('search_file_knowledge', { query: 'life rafts' }), 'Searched the documents for “life rafts”: running…'],
    [
      step('search_file_knowledge', { query: 'life rafts' }, '[1] Handbook · chunk 2\ntext [2]\n\n[2] Terms · chunk 3'),
      'Searched the documents for “life rafts”: 2 passages',
    ],
    [
      step('search_file_knowledge', { query: 'x' }, 'No passage matches.'),
      'Searched the documents for “x”: nothing found',
    ],
    [step('content', { around_chunk_id: 'c' }, '[1] A · chunk 1'), 'Read around a passage: 1 passage'],
    [step('web_scrape', { url: 'https://a.b' }, 'The page', true), 'Read the web page https://a.b: failed: The page'],
    [step('tracker__find_issue', {}, 'ok'), 'Used tracker find issue'],
  ])('%s', (said, expected) => {
    expect(said).toBe(expected);
  });
});

describe('the request in the URL', () => {
  it('reads known parameters only', () => {
    const place = readAskParameters(new URLSearchParams('ask=Who%3F&kind=agent&collection=c&as_of=2025-01-01&x=y'));
    expect(place).toEqual({
      ask: 'Who?',
      kind: 'agent',
      conversation: '',
      scope: { ...noScope, collection: 'c', asOf: '2025-01-01' },
    });
    expect(readAskParameters(new URLSearchParams('kind=nonsense')).kind).toBe('answer');
  });

  it('requests one answer', () => {
    const scope = { ...noScope, collection: 'c', filter: '{"metadata.year": {"$gt": 2020}}', model: 'openai/x' };
    expect(askRequest('Who?', { kind: 'answer', conversation: 'k', scope })).toEqual({
      path: '/v3/retrieval/rag',
      body: {
        query: 'Who?',
        resumable: true,
        include_title_if_available: true,
        rag_generation_config: { stream: true, model: 'openai/x' },
        search_settings: {
          filters: { $and: [{ collection_ids: { $overlap: ['c'] } }, { 'metadata.year': { $gt: 2020 } }] },
        },
      },
    });
  });

  it('continues a conversation', () => {
    const { path, body } = askRequest('Who?', { kind: 'research', conversation: 'k', scope: noScope });
    expect(path).toBe('/v3/retrieval/agent');
    expect(body).toMatchObject({
      mode: 'research',
      conversation_id: 'k',
      research_generation_config: { stream: true },
    });
  });
});
