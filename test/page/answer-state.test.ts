import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/client/stream-events.ts';
import { answerAsText } from '../../src/page/app/views/ask/answer-as-text.ts';
import { applyCheck, checkRequest } from '../../src/page/app/views/ask/answer-check.ts';
import {
  type AnswerState,
  applyEvent,
  emptyAnswer,
  quoteOf,
  sentencesWithoutSupport,
  statementBefore,
} from '../../src/page/app/views/ask/answer-state.ts';
import { targetOf } from '../../src/page/app/views/ask/selection.ts';
import { sourceLabel } from '../../src/page/app/views/ask/source-label.ts';
import { toMetadata, toTurns } from '../../src/page/app/views/ask/stored-turns.ts';

const delta = (event: 'message' | 'thinking', value: string): StreamEvent => ({
  event,
  id: '',
  data: {
    id: 'x',
    object: `agent.${event}.delta`,
    delta: { content: [{ type: 'text', payload: { value, annotations: [] } }] },
  },
});

const payload = {
  id: 'chunk',
  document_id: 'doc',
  version: 'v1',
  metadata: { title: 'Handbook' },
  quotes: [
    { start: 10, end: 20, text: 'Dogs travel free.', page: 2, heading_path: ['Animals'] },
    { start: 40, end: 50, text: 'The mate checks the rafts.', page: null, heading_path: [] },
  ],
};
const mention = (start: number, isNew: boolean): StreamEvent => ({
  event: 'citation',
  id: '',
  data: {
    id: 'cit.1',
    object: 'citation',
    is_new: isNew,
    span: { start, end: start + 3 },
    payload: isNew ? payload : null,
    verdict: 'close',
  },
});

const final = (more: object = {}): StreamEvent => ({
  event: 'final_answer',
  id: '',
  data: {
    id: 'msg_final',
    object: 'agent.final_answer',
    generated_answer: 'The mate [1]. Dogs [1].',
    citations: [
      {
        id: 'cit.1',
        object: 'citation',
        source_type: 'chunk',
        spans: [
          { start: 9, end: 12 },
          { start: 19, end: 22 },
        ],
        payload,
        ...more,
      },
    ],
    model: 'openai/x',
    mode: 'rag',
  },
});

const play = (...events: readonly StreamEvent[]): AnswerState => events.reduce(applyEvent, emptyAnswer);

describe('an answer from its events', () => {
  it('grows with the text and its citations', () => {
    const state = play(
      delta('thinking', 'Hm.'),
      delta('message', 'The '),
      delta('message', 'mate [1]'),
      mention(9, true),
    );
    expect(state).toMatchObject({ phase: 'streaming', text: 'The mate [1]', thinking: 'Hm.' });
    expect(state.marks).toEqual([{ start: 9, end: 12, sourceId: 'cit.1', verdict: 'close' }]);
    expect(state.sources[0]).toMatchObject({ id: 'cit.1', title: 'Handbook', documentId: 'doc', version: 'v1' });
  });

  it('names a source once, however often it is cited', () => {
    const state = play(delta('message', 'a [1] b [1]'), mention(2, true), mention(8, false));
    expect([state.sources.length, state.marks.length]).toEqual([1, 2]);
  });

  it('shows text before a tool call as a remark', () => {
    const call: StreamEvent = {
      event: 'tool_call',
      id: '',
      data: { tool_call_id: 't', name: 'search_file_knowledge', arguments: { query: 'rafts' } },
    };
    const files = [{ name: 'out/a.csv', mime_type: 'text/csv', size: 3, link: '/v3/retrieval/runs/r/files/out/a.csv' }];
    const result: StreamEvent = {
      event: 'tool_result',
      id: '',
      data: { tool_call_id: 't', role: 'tool', content: '[1] A', is_error: false, files },
    };
    const state = play(delta('message', 'Let me see [1]'), mention(11, true), call, result, delta('message', 'So.'));
    expect(state).toMatchObject({ text: 'So.', marks: [] });
    expect(state.steps).toEqual([
      {
        id: 't',
        name: 'search_file_knowledge',
        arguments: { query: 'rafts' },
        isError: false,
        remark: 'Let me see [1]',
        result: '[1] A',
        files,
      },
    ]);
  });

  it('uses the verdicts of the final answer', () => {
    const check = (start: number, verdict: string, statement: string) => ({
      span: { start, end: start + 3 },
      verdict,
      statement,
    });
    const checks = [check(9, 'verbatim', 'The mate checks the rafts'), check(19, 'not_found', 'Dogs travel')];
    const state = play(final({ verdict: 'not_found', checks }));
    expect(state.marks.map(({ verdict }) => verdict)).toEqual(['verbatim', 'not_found']);
    expect(state.marks.map((mark) => quoteOf(mark, state.sources[0])?.start)).toEqual([40, 10]);
  });

  it('is labelled extractive without a model', () => {
    const event = final();
    if (event.event !== 'final_answer') throw new Error('no final answer');
    expect(play({ ...event, data: { ...event.data, mode: 'extractive' } })).toMatchObject({
      isExtractive: true,
      isChecked: true,
    });
  });

  it('distinguishes several quotations of one source by the line before the marker', () => {
    const generated = '“The surplus was small.” [1]\n\n“The board expects growth.” [1]';
    const quote = (text: string, start: number) => ({
      text,
      start,
      end: start + text.length,
      page: 1,
      heading_path: [],
    });
    const quotes = [quote('The surplus was small.', 0), quote('The board expects growth.', 40)];
    const spans = [...generated.matchAll(/\[1\]/g)].map(({ index }) => ({ start: index, end: index + 3 }));
    const payload = { id: 'chunk', document_id: 'doc', text: '', quotes };
    const citations = [{ id: 'cit.1', object: 'citation', spans, source_type: 'chunk', payload } as const];
    const data = { id: 'msg_final', object: 'rag.final_answer', generated_answer: generated, citations } as const;
    const state = play({ event: 'final_answer', id: '1', data: { ...data, mode: 'extractive' } });
    expect(state.marks.map((mark) => quoteOf(mark, state.sources[0])?.text)).toEqual(quotes.map(({ text }) => text));
  });
});

describe('the check of an answer that came without verdicts', () => {
  const state = play(final());
  const evidence = {
    quote: 'The mate.',
    marker: 1,
    document_id: 'doc',
    title: 'Handbook',
    heading_path: [],
    start: 3,
    end: 12,
  };

  it('names the slide of a quotation in the copied answer, and in the place beside it', () => {
    const quotes = [{ start: 3, end: 12, text: 'The mate.', page: 4, heading_path: [] }];
    const citation: StreamEvent = {
      event: 'citation',
      id: '',
      data: {
        ...{ id: 'cit.1', object: 'citation', is_new: true, span: { start: 9, end: 12 } },
        payload: { id: 'c', document_id: 'doc', metadata: { title: 'Deck', document_type: 'pptx' }, quotes },
      },
    };
    const answer = play(delta('message', 'The mate [1]'), citation);
    expect(answerAsText(answer)).toContain('[1] Deck, slide 4');
    expect(sourceLabel('Deck', answer.sources[0]?.quotes[0])).toBe('Deck · slide 4');
    const checked = applyCheck(answer, {
      statements: [
        {
          ...{ start: 0, end: 12, text: 'The mate', verdict: 'verbatim' },
          citations: [{ marker: 1, verdict: 'verbatim' }],
          evidence: { ...evidence, document_type: 'odp', page: 5 },
        },
      ],
      unsupported: [],
    });
    expect(sourceLabel('', checked.marks[0]?.quote)).toBe('slide 5');
  });

  it('sends the cited passages', () => {
    expect(checkRequest(state, '2025-01-01')).toEqual({
      answer: 'The mate [1]. Dogs [1].',
      sources: [{ marker: 1, chunk_id: 'chunk' }],
      search: true,
      as_of: '2025-01-01',
    });
    expect(checkRequest({ ...state, isChecked: true }, '')).toBeUndefined();
    expect(
      checkRequest({ ...state, sources: [{ id: 'cit.1', title: 'a', link: 'https://a', quotes: [] }] }, ''),
    ).toBeUndefined();
  });

  it('checks the first paragraphs of a very long answer, and says that the rest is not checked', () => {
    const sentence = 'The mate [1].';
    const paragraphs = Array.from({ length: 5_000 }, () => sentence);
    const text = paragraphs.join('\n\n');
    const marks = paragraphs.map((_, at) => {
      const start = at * (sentence.length + 2) + sentence.indexOf('[');
      return { sourceId: 'cit.1', start, end: start + 3 };
    });
    const long = { ...state, text, marks };
    const sent = checkRequest(long, '')?.answer ?? '';
    expect(sent.length).toBeLessThanOrEqual(40_000);
    expect(sent.endsWith(sentence)).toBe(true);
    const statements = [
      { start: 0, end: 13, text: 'The mate', verdict: 'verbatim', citations: [{ marker: 1, verdict: 'verbatim' }] },
    ];
    const checked = applyCheck(long, { statements, unsupported: [] });
    expect(checked).toMatchObject({ isChecked: true, isPartlyChecked: true });
    expect(checked.marks.at(0)?.verdict).toBe('verbatim');
    expect(checked.marks.at(-1)?.verdict).toBeUndefined();
    // The service may stop earlier, at the number of statements or its time.
    const stopped = applyCheck(state, { statements, unsupported: [], unchecked_from: 13 });
    expect(stopped.marks.map(({ verdict }) => verdict)).toEqual(['verbatim', undefined]);
    expect(stopped.isPartlyChecked).toBe(true);
    expect(applyCheck(state, { statements, unsupported: [] }).isPartlyChecked).toBeUndefined();
  });

  it('sends the passage with the sentence of a graph element, not the element', () => {
    const graph = {
      id: 'entity',
      result_type: 'entity',
      document_id: 'doc',
      chunk_id: 'sentence',
      metadata: { documents: [{ document_id: 'doc', title: 'Handbook' }] },
    };
    const answer = play(final({ payload: graph }));
    expect(answer.sources).toMatchObject([{ chunkId: 'sentence', documentId: 'doc', title: 'Handbook' }]);
    expect(checkRequest(answer, '')?.sources).toEqual([{ marker: 1, chunk_id: 'sentence' }]);
  });

  it('checks the other citations when a source is a web page or its document is gone', () => {
    const web = { id: 'cit.2', title: 'a', link: 'https://a', quotes: [] };
    const both = { ...state, sources: [...state.sources, web] };
    expect(checkRequest(both, '')?.sources).toEqual([{ marker: 1, chunk_id: 'chunk' }]);
    expect(checkRequest(both, '', new Set(['doc']))?.sources).toEqual([{ marker: 1, document_id: 'doc' }]);
    expect(checkRequest(both, '', new Set(['other']))).toBeUndefined();
    const unknown = [{ marker: 2, verdict: 'unknown' }];
    const statements = [
      { start: 0, end: 13, text: 'The mate', verdict: 'not_found', citations: [] },
      { start: 14, end: 23, text: 'Dogs', verdict: 'not_found', citations: unknown },
    ];
    const unsupported = statements.map(({ start, end }) => ({ start, end }));
    expect(applyCheck(state, { statements, unsupported }).unsupported).toEqual([{ start: 0, end: 13 }]);
  });

  it('gives each marker the verdict and the quote of its statement', () => {
    const own = [{ marker: 1, verdict: 'not_found' }];
    const after = applyCheck(state, {
      statements: [
        {
          start: 0,
          end: 13,
          text: 'The mate',
          verdict: 'verbatim',
          citations: [{ marker: 1, verdict: 'verbatim' }],
          evidence,
        },
        {
          start: 14,
          end: 23,
          text: 'Dogs',
          verdict: 'elsewhere',
          citations: own,
          evidence: { ...evidence, marker: 9, document_id: 'other' },
        },
      ],
      unsupported: [{ start: 14, end: 23 }],
    });
    expect(after.marks.map(({ verdict }) => verdict)).toEqual(['verbatim', 'elsewhere']);
    expect(after.marks.map(({ quote }) => quote?.documentId)).toEqual(['doc', 'other']);
    expect(after).toMatchObject({ isChecked: true, unsupported: [{ start: 14, end: 23 }] });
    // The cited version belongs to another document.
    const [, elsewhere] = after.marks;
    expect(elsewhere && targetOf(elsewhere, after.sources[0])).toEqual({
      kind: 'document',
      documentId: 'other',
      quotes: [{ start: 3, end: 12, text: 'The mate.' }],
    });
  });
});

describe('sentences that nothing supports', () => {
  const text = 'Dogs fly [1][2]. Cats fly. [1]';
  const marks = (verdict: 'elsewhere' | 'not_found') => [
    { start: 9, end: 12, sourceId: 'cit.1', verdict },
    { start: 12, end: 15, sourceId: 'cit.2', verdict: 'not_found' as const },
    { start: 27, end: 30, sourceId: 'cit.1', verdict: 'not_found' as const },
  ];
  const unsupported = [
    { start: 0, end: 8 },
    { start: 17, end: 26 },
  ];
  it('include the markers after them', () => {
    expect(sentencesWithoutSupport({ ...emptyAnswer, text, unsupported, marks: marks('not_found') })).toEqual([
      { start: 0, end: 15 },
      { start: 17, end: 30 },
    ]);
  });
  it('are not those that another source supports', () => {
    expect(sentencesWithoutSupport({ ...emptyAnswer, text, unsupported, marks: marks('elsewhere') })).toEqual([
      { start: 17, end: 30 },
    ]);
  });
});

describe('the target of a citation', () => {
  const mark = { start: 0, end: 3, sourceId: 'cit.1' };
  it('is a URL only for web pages', () => {
    const web = (link: string) => targetOf(mark, { id: 'cit.1', title: 'a', link, quotes: [] });
    expect(web('https://example.org/')).toEqual({ kind: 'web', link: 'https://example.org/' });
    expect(web('javascript:alert(1)')).toEqual({ kind: 'nowhere' });
  });
});

describe('the turns of a stored conversation', () => {
  const asked = (id: string, content: string) => ({ id, message: { role: 'user', content }, metadata: null });
  const answered = (id: string, content: string, metadata = {}) => ({
    id,
    message: { role: 'assistant', content },
    metadata,
  });
  const shown = (messages: Parameters<typeof toTurns>[0]) =>
    toTurns(messages).map(({ question, answer }) => [question, answer?.text]);

  it('show a question once that was tried again after its answer was interrupted', () => {
    const stopped = [asked('1', 'Who?'), answered('2', 'It was', { interrupted: true })];
    const unanswered = [asked('3', 'Who?')];
    const again = [asked('4', 'Who?'), answered('5', 'It was she.')];
    expect(shown([...stopped, ...unanswered, ...again])).toEqual([['Who?', 'It was she.']]);
    expect(shown([...stopped, asked('4', 'When?')])).toEqual([
      ['Who?', 'It was'],
      ['When?', undefined],
    ]);
    // A question that was answered may be asked again.
    expect(shown([...again, ...again])).toHaveLength(2);
  });

  it('keeps questions that were never answered, and answers without a question', () => {
    const message = (id: string, role: string, content: string, metadata: object = {}) => ({
      id,
      message: { role, content },
      metadata: { ...metadata },
    });
    const turns = toTurns([
      message('0', 'assistant', 'Hello'),
      message('1', 'user', 'Who?'),
      message('2', 'user', 'Who then?'),
      message('3', 'assistant', 'Half', { interrupted: true }),
    ]);
    expect(turns.map(({ question, answer }) => [question, answer?.phase, answer?.text])).toEqual([
      ['', 'done', 'Hello'],
      ['Who?', undefined, undefined],
      ['Who then?', 'stopped', 'Half'],
    ]);
  });

  it('keeps that an answer was stopped, and its citations', () => {
    const state: AnswerState = { ...play(final({ verdict: 'close' })), phase: 'stopped' };
    const metadata = toMetadata(state);
    const [turn] = toTurns([{ id: '1', message: { role: 'assistant', content: state.text }, metadata }]);
    expect(turn?.answer).toMatchObject({ phase: 'stopped', text: state.text, marks: state.marks });
    expect(toMetadata({ ...state, phase: 'done' })).not.toHaveProperty('interrupted');
  });

  it('keeps the words of quotations, which the answer itself contains', () => {
    const citation = (number: number, place: string) => ({
      id: `cit.${number}`,
      document_id: 'doc',
      link: `http://127.0.0.1/d/doc?q=${place}`,
      title: 'Log',
    });
    const content = 'These passages:\n\n“She said “no”.” [1]\n— Log\n\n“See [\u206012] below.” [2]\n— Log\n\nAlso [3]';
    const citations = [citation(1, '3-17'), citation(2, '20-35'), citation(3, '40-44')];
    const stored = { message: { role: 'assistant', content }, metadata: { model: 'builtin/extractive', citations } };
    const [turn] = toTurns([{ id: '1', ...stored }]);
    const quotes = turn?.answer?.marks.map(({ quote }) => quote && [quote.text, quote.start, quote.end, quote.title]);
    expect(quotes).toEqual([['She said “no”.', 3, 17, 'Log'], ['See [12] below.', 20, 35, 'Log'], undefined]);
  });

  it('stores the weakest verdict of the citations of a source', () => {
    const state = play(final({ verdict: 'close' }));
    const [mark] = state.marks;
    if (mark === undefined) throw new Error('There is no mark.');
    const marks = (['verbatim', 'not_found', 'close'] as const).map((verdict) => ({ ...mark, verdict }));
    expect(toMetadata({ ...state, marks }).citations).toMatchObject([{ verdict: 'not_found' }]);
  });

  it('finds the statement before a marker', () => {
    const text = 'First line.\n- One is so [1]. Two is so [2][3].';
    const at = (marker: string) => statementBefore({ ...emptyAnswer, text }, text.indexOf(marker));
    expect(['[1]', '[2]', '[3]'].map(at)).toEqual(['One is so', 'Two is so', 'Two is so']);
  });

  it('restores what was stored with an answer', () => {
    const state = play(final({ verdict: 'close' }));
    const metadata = toMetadata(state);
    const [turn] = toTurns([{ id: '1', message: { role: 'assistant', content: state.text }, metadata }]);
    expect(turn?.answer?.marks).toEqual(state.marks);
    expect(turn?.answer).toMatchObject({ model: 'openai/x', isExtractive: false, isChecked: false });
    expect(turn?.answer?.sources).toMatchObject([{ id: 'cit.1', documentId: 'doc', chunkId: 'chunk' }]);
  });
});
