import { describe, expect, it } from 'vitest';
import type { AnswerCheckRequest } from '../../src/citations/answer-check.ts';
import { everything, type Filter } from '../../src/documents/filter.ts';
import { createAnswerChecker } from '../../src/rag/check-answer.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { addDocument, retrieverOver } from '../support/agent-over-store.ts';
import { openTestStore } from '../support/store.ts';

const BRIDGE = [
  'The Golden Gate Bridge opened to traffic in 1937. Its towers are 227 metres tall.',
  'The colour of the bridge is called International Orange. It was chosen by the architect Irving Morrow.',
];
const TUNNEL = ['The Gotthard tunnel was opened in 2016 and is 57 kilometres long.'];
const PAGES = [
  { number: 1, start: 0, end: 83 },
  { number: 2, start: 83, end: 190 },
];

async function open() {
  const store = await openTestStore();
  const bridge = await addDocument(store, 'Bridge', BRIDGE, { pages: PAGES, headings: ['Figures', 'Colour'] });
  const tunnel = await addDocument(store, 'Tunnel', TUNNEL);
  const chunks = (await store.corpus.chunksOf(bridge.id, { offset: 0, limit: 9 })).items;
  const checker = createAnswerChecker({
    retriever: retrieverOver(store),
    library: store.corpus,
    analyser: { analyse, analyseQuery },
  });
  const check = (answer: string, change: Partial<AnswerCheckRequest> = {}, visible: Filter = everything) =>
    checker.check(
      { answer, sources: [], documentIds: [], searchesElsewhere: true, ...change },
      visible,
      new AbortController().signal,
    );
  return { store, bridge, tunnel, figures: chunks[0]?.id ?? '', colour: chunks[1]?.id ?? '', check };
}

describe('checking an answer', () => {
  it('returns verdict, exact quote and offsets for each statement', async () => {
    const { bridge, figures, colour, check, store } = await open();
    const answer = 'Its towers are 227 metres tall [1]. Irving Morrow chose its colour [2]. It opened in 1938 [1].';
    const { statements, notes } = await check(answer, {
      sources: [{ chunkId: figures }, { chunkId: colour }],
    });
    expect(statements.map(({ verdict }) => verdict)).toEqual(['verbatim', 'close', 'not_found']);
    expect(notes).toEqual([]);
    const [towers, chosen, opened] = statements;
    expect(towers?.evidence).toMatchObject({
      marker: 1,
      documentId: bridge.id,
      chunkId: figures,
      title: 'Bridge',
      quote: { text: 'Its towers are 227 metres tall', page: 1, headingPath: ['Figures'] },
    });
    expect(chosen?.evidence?.quote).toMatchObject({
      text: expect.stringContaining('It was chosen by the architect Irving Morrow.'),
      page: 2,
      headingPath: ['Colour'],
    });
    const text = (await store.corpus.textOf(bridge.id))?.text ?? '';
    for (const { evidence } of statements) {
      expect(text.slice(evidence?.quote.start, evidence?.quote.end)).toBe(evidence?.quote.text);
    }
    // For a changed figure, the closest chunk shows the correct one.
    expect(opened?.missing).toEqual(['1938']);
    expect(opened?.evidence?.quote.text).toContain('1937');
    for (const { start, end, text: said } of statements) {
      expect(answer.slice(start, end)).toContain(said.slice(0, 10));
    }
  });

  it('names the supporting source when the cited one does not support the statement', async () => {
    const { tunnel, figures, colour, check } = await open();
    const sources = [{ chunkId: figures }, { chunkId: colour }];
    const among = await check('Irving Morrow chose the colour of the bridge [1].', { sources });
    expect(among.statements[0]).toMatchObject({ verdict: 'elsewhere', evidence: { marker: 2, chunkId: colour } });
    expect(among.statements[0]?.citations).toEqual([{ marker: 1, verdict: 'not_found' }]);
    const beyond = await check('The Gotthard tunnel is 57 kilometres long [1].', { sources });
    expect(beyond.statements[0]).toMatchObject({ verdict: 'elsewhere', evidence: { documentId: tunnel.id } });
    const only = await check('The Gotthard tunnel is 57 kilometres long [1].', { sources, searchesElsewhere: false });
    expect(only.statements[0]?.verdict).toBe('not_found');
  });

  it('checks short statements like any other, and says when there is nothing to check', async () => {
    const { check } = await open();
    const short = await check('It opened in 1937. It opened in 1938. The towers sing. Of course. And why?');
    expect(short.statements.map(({ text, verdict }) => [text, verdict])).toEqual([
      ['It opened in 1937.', 'close'],
      ['It opened in 1938.', 'not_found'],
      ['The towers sing.', 'not_found'],
    ]);
    expect(short.notes).toEqual([]);
    const none = await check('Of course. And why?');
    expect(none.statements).toEqual([]);
    expect(none.notes).toEqual([expect.stringContaining('nothing that can be checked')]);
  });

  it('searches when no source is given, within the given documents if any', async () => {
    const { bridge, tunnel, check } = await open();
    const answer = 'The bridge opened to traffic in 1937. The Gotthard tunnel is 57 kilometres long [3].';
    const all = await check(answer);
    expect(all.statements.map(({ verdict }) => verdict)).toEqual(['close', 'close']);
    expect(all.notes.join()).toContain('No sources were given');
    const within = await check(answer, { documentIds: [bridge.id] });
    expect(within.statements.map(({ verdict, evidence }) => [verdict, evidence?.documentId])).toEqual([
      ['close', bridge.id],
      ['elsewhere', tunnel.id],
    ]);
    const document = await check('It is 57 kilometres long [1].', { sources: [{ id: tunnel.id.slice(0, 8) }] });
    expect(document.statements[0]).toMatchObject({ verdict: 'close', evidence: { marker: 1 } });
  });

  it('finds a quotation across the border of two passages', async () => {
    const { bridge, check } = await open();
    const { statements } = await check('It says “227 metres tall. The colour of the bridge” there [1].', {
      sources: [{ documentId: bridge.id }],
    });
    expect(statements[0]).toMatchObject({
      verdict: 'verbatim',
      evidence: { documentId: bridge.id, quote: { text: '227 metres tall.\n\nThe colour of the bridge', page: 1 } },
    });
    const invented = await check('It says “230 metres tall. The colour of the bridge” there [1].', {
      sources: [{ documentId: bridge.id }],
    });
    expect(invented.statements[0]?.verdict).toBe('not_found');
  });

  it('locates a given text', async () => {
    const { bridge, colour, check } = await open();
    const given = (text: string) => check('The colour is called International Orange [1].', { sources: [{ text }] });
    const known = await given(BRIDGE[1] ?? '');
    expect(known.statements[0]?.evidence).toMatchObject({ marker: 1, documentId: bridge.id, chunkId: colour });
    const unknown = await given('Its colour is called International Orange by painters.');
    expect(unknown.statements[0]?.verdict).toBe('close');
    expect(unknown.statements[0]?.evidence?.documentId).toBeUndefined();
  });

  it('lists unresolved markers', async () => {
    const { figures, check } = await open();
    const { statements, notes } = await check('Its towers are 227 metres tall [1][7].', {
      sources: [{ chunkId: figures }],
    });
    expect(statements[0]).toMatchObject({
      verdict: 'verbatim',
      citations: [
        { marker: 1, verdict: 'verbatim' },
        { marker: 7, verdict: 'unknown' },
      ],
    });
    expect(notes).toEqual(['No source was given for [7].']);
  });

  it('shows nothing that the caller may not see', async () => {
    const { bridge, figures, tunnel, check } = await open();
    const visible: Filter = { kind: 'compare', field: 'document_id', op: 'eq', value: tunnel.id };
    const { statements } = await check('Its towers are 227 metres tall.', {}, visible);
    expect(statements[0]?.verdict).toBe('not_found');
    expect(JSON.stringify(statements)).not.toContain(bridge.id);
    for (const sources of [[{ chunkId: figures }], [{ documentId: bridge.id }], [{ id: figures }]]) {
      await expect(check('Its towers [1].', { sources }, visible)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(check('Its towers.', { documentIds: [bridge.id] }, visible)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is limited, and reports where it stopped', async () => {
    const { check } = await open();
    await expect(check(' ')).rejects.toThrow('The answer is empty');
    await expect(check('a'.repeat(40_001))).rejects.toThrow('the maximum is 40000');
    await expect(check('It is so.', { sources: [{ text: 'a'.repeat(20_001) }] })).rejects.toThrow(
      'the maximum is 20000',
    );
    await expect(check('It is so.', { sources: [{}] })).rejects.toThrow('chunk_id, its document_id or its text');
    const long = Array.from({ length: 160 }, (_, number) => `Statement number ${number} says that nothing is so.`).join(
      ' ',
    );
    const {
      statements,
      uncheckedFrom = 0,
      notes,
    } = await check(long, { sources: [{ text: 'Other words.' }], searchesElsewhere: false });
    expect(statements).toHaveLength(150);
    expect(long.slice(uncheckedFrom)).toMatch(/^Statement number 150 /);
    expect(notes.join()).toContain(`character ${uncheckedFrom}`);
  });
});
