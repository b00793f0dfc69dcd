import { describe, expect, it } from 'vitest';
import { containsAnswer, containsPassage } from '../../src/evaluation/contains-text.ts';
import { isRefusal } from '../../src/evaluation/is-refusal.ts';
import type { ResolvedQuestion } from '../../src/evaluation/resolve-documents.ts';
import { type EvaluatedAnswer, scoreAnswer } from '../../src/evaluation/score-answer.ts';
import { scoreRetrieval } from '../../src/evaluation/score-retrieval.ts';

const question = (more: Partial<ResolvedQuestion>): ResolvedQuestion => ({
  id: 'q',
  line: 1,
  text: 'When was the tower finished?',
  documents: [],
  expected: [],
  passages: [],
  answers: [],
  isUnanswerable: false,
  ...more,
});
const chunk = (documentId: string, text: string) => ({ documentId, title: documentId, text });
const TOWER = 'The tower was finished in 1844.';
const found = [
  chunk('bread', 'Rye keeps.'),
  chunk('bread', 'Salt slows.'),
  chunk('tower', 'A tower.'),
  chunk('tower', TOWER),
];

describe('the score of a search', () => {
  it('ranks documents by their best chunk', () => {
    const judged = scoreRetrieval(question({ expected: [new Set(['tower'])] }), found, 10);
    expect(judged).toMatchObject({ rank: 2, scores: { 'mrr@10': 0.5, 'hit@1': 0, 'hit@3': 1 } });
    expect(judged?.scores['ndcg@10']).toBeCloseTo(1 / Math.log2(3), 12);
  });

  it('ranks passages of the expected document when a passage is expected', () => {
    expect(scoreRetrieval(question({ passages: [TOWER] }), found, 10)?.rank).toBe(4);
    expect(scoreRetrieval(question({ passages: [TOWER], expected: [new Set(['bread'])] }), found, 10)?.rank).toBe(null);
  });

  it('ranks chunks that contain the answer when nothing else is expected', () => {
    expect(scoreRetrieval(question({ answers: ['in 1844', '1844'] }), found, 10)?.rank).toBe(4);
    expect(scoreRetrieval(question({ answers: ['184'] }), found, 10)?.rank).toBe(null);
  });

  it('counts each expected document once', () => {
    const expected = [new Set(['tower', 'its copy']), new Set(['missing'])];
    expect(scoreRetrieval(question({ expected }), found, 10)?.scores['recall@10']).toBe(0.5);
  });

  it('includes recall at 100 only when 100 results were requested', () => {
    const expected = [new Set(['tower'])];
    expect(scoreRetrieval(question({ expected }), found, 10)?.scores).not.toHaveProperty('recall@100');
    expect(scoreRetrieval(question({ expected }), found, 100)?.scores['recall@100']).toBe(1);
  });

  it('is undefined for unanswerable questions', () => {
    expect(scoreRetrieval(question({ isUnanswerable: true }), found, 10)).toBeUndefined();
  });
});

describe('an expected text', () => {
  it.each([
    ['In 13080 years', '308', false],
    ['13080, then 308.', '308', true],
    ['The “Fog  Horn”', 'the "fog horn"', true],
    ['他以136次擒杀成为', '136次', true],
    ['anything', '', false],
  ])('in %j: %j is found: %s', (text, wanted, isThere) => {
    expect(containsAnswer(text, wanted)).toBe(isThere);
  });

  it('counts as found in a chunk with most of its sentences', () => {
    const wanted = `${TOWER} Its stones came from the island of Tyree. Ten.`;
    expect(containsPassage(`Before. ${TOWER} Its stones came from the island of Tyree.`, wanted)).toBe(true);
    expect(containsPassage('Ten. Its stones.', wanted)).toBe(false);
  });
});

describe('a refusal', () => {
  it.each([
    'Answered without a language model; nothing found supports an answer to this question.',
    'Answered without a language model; it is uncertain whether the documents answer this. The closest passages:\n\n“The tower is tall.” [1]',
    'Nothing was found in the documents that matches this question, so it is not answered.',
    'The passages do not say when the tower was painted. They mention only when it was finished [1].',
    "I couldn't find any information about that in your documents.",
    'Die Dokumente enthalten keine Angaben dazu.',
    'Das geht aus den Unterlagen nicht hervor.',
    'Les documents ne permettent pas de répondre à cette question.',
    'Los documentos no contienen esa información.',
    'I documenti non contengono informazioni al riguardo.',
    'De documenten bevatten geen informatie hierover.',
    '文档中没有提到这一点。',
    '資料には記載がありません。',
    '',
  ])('is recognised: %s', (answer) => {
    expect(isRefusal(answer)).toBe(true);
  });

  it.each([
    'Answered without a language model; these passages match your question best:\n\n“Rye keeps.” [1]',
    'The contract does not contain a penalty clause [1].',
    'The contract does not contain a penalty clause. [1] It says so twice.',
    'It was finished in 1844.',
    'Nein, der Turm wurde 1844 fertig [1].',
  ])('is not recognised in: %s', (answer) => {
    expect(isRefusal(answer)).toBe(false);
  });
});

describe('an answer', () => {
  const QUOTE = { text: TOWER, start: 10, end: 10 + TOWER.length };
  const citation = { documentId: 'tower', text: TOWER, quotes: [QUOTE], isOfDocument: true };
  const answer = (text: string, more: Partial<EvaluatedAnswer> = {}): EvaluatedAnswer => {
    const spans = [...text.matchAll(/\[1\]/g)].map(({ index }) => ({ start: index, end: index + 3 }));
    return { text, citations: spans.length === 0 ? [] : [{ ...citation, spans }], removedMarkers: 0, ...more };
  };
  const readText = async (id: string, { start, end }: { start: number; end: number }) =>
    id === 'tower' ? `# A tower\n${TOWER}`.slice(start, end) : undefined;
  const expected = question({ expected: [new Set(['tower'])], answers: ['1844'] });

  it('that contains the expected text and quotes its source has a full score', async () => {
    const { scores, verdicts } = await scoreAnswer(expected, answer('The tower was finished in 1844 [1].'), readText);
    expect(scores).toEqual({ answered: 1, answer: 1, right_source: 1, supported: 1, well_formed: 1 });
    expect(verdicts).toEqual({ verbatim: 1 });
  });

  it('with a changed figure is not supported', async () => {
    const { scores } = await scoreAnswer(expected, answer('The tower was finished in 1845 [1].'), readText);
    expect(scores).toMatchObject({ answered: 1, answer: 0, supported: 0 });
  });

  it('counts each statement it cites a source for', async () => {
    const text = 'The tower was finished in 1844 [1]. It burned down a hundred years later [1].';
    expect((await scoreAnswer(expected, answer(text), readText)).scores.supported).toBe(0.5);
  });

  it('without citations has no support score', async () => {
    const { scores } = await scoreAnswer(expected, answer('In 1844.'), readText);
    expect(scores).toEqual({ answered: 1, answer: 1, right_source: 0, supported: 0 });
  });

  it('is malformed for each quote that is not in the document and each unresolved marker', async () => {
    const text = 'The tower was finished in 1844 [1].';
    const spans = [{ start: 31, end: 34 }];
    const formOf = async (given: EvaluatedAnswer) => (await scoreAnswer(expected, given, readText)).scores.well_formed;
    expect(await formOf(answer(text, { removedMarkers: 1 }))).toBe(0.5);
    const moved = { ...citation, spans, quotes: [{ ...QUOTE, start: 9 }] };
    expect(await formOf(answer(text, { citations: [moved] }))).toBe(0);
    expect(await formOf(answer(text, { citations: [{ ...citation, spans, documentId: 'gone' }] }))).toBe(0);
  });

  it('reuses the verdict of an earlier check of the citation', async () => {
    const text = 'It stood in 1844 [1].';
    const citations = [{ ...citation, spans: [{ start: 17, end: 20 }], verdict: 'elsewhere' as const }];
    expect((await scoreAnswer(expected, answer(text, { citations }), readText)).verdicts).toEqual({ elsewhere: 1 });
  });

  it('to an unanswerable question is right when it refuses', async () => {
    const unanswerable = question({ isUnanswerable: true });
    const refused = await scoreAnswer(unanswerable, answer('The documents do not say.'), readText);
    expect(refused).toEqual({ scores: { refused: 1 }, isRefused: true, verdicts: {} });
    const made = await scoreAnswer(unanswerable, answer('It was finished in 1844.'), readText);
    expect(made.scores).toMatchObject({ refused: 0, supported: 0 });
  });
});
