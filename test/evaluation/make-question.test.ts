import { describe, expect, it } from 'vitest';
import { modelPrompt, questionFromModel, questionFromText } from '../../src/evaluation/make-question.ts';

const SENTENCE = 'The lighthouse of Skerry was finished in 1844 and its granite came from Tyree.';
const chunk = {
  documentId: 'd',
  title: 'skerry.md',
  text: `It is old. ${SENTENCE} That is all.`,
  headingPath: ['Skerry', 'Building the lighthouse'],
};

describe('a question made without a model', () => {
  it('contains the distinctive words of the expected sentence', () => {
    expect(questionFromText(chunk, false)).toEqual({
      question: 'lighthouse Skerry finished 1844 granite Tyree',
      document: 'd',
      passage: SENTENCE,
      note: 'skerry.md: known item, made of words of a sentence',
    });
  });

  it('uses the heading when that is distinctive', () => {
    expect(questionFromText(chunk, true)?.question).toBe('Skerry Building the lighthouse');
    for (const headingPath of [['Notes'], ['00:00:01'], ['2024', '12']])
      expect(questionFromText({ ...chunk, headingPath }, true)?.question).toContain('1844');
  });

  it('is made for scripts without spaces too', () => {
    const text =
      '黑豹队的防守只丢了三百零八分，在联赛中排名第六，同时也以二十四次拦截领先国家橄榄球联盟，并且四次入选职业碗。';
    expect(questionFromText({ ...chunk, text, headingPath: [] }, false)?.question).toBe(text.slice(0, 14));
  });

  it('is not made from passages with too little text or from code', () => {
    for (const text of ['Yes. No.', 'const lighthouse = makeLighthouse({ height: 40, granite: true, keepers: 3 });']) {
      expect(questionFromText({ ...chunk, text }, true)).toBeUndefined();
    }
  });
});

describe('a question written by a model', () => {
  it('keeps an answer found in the chunk, with its sentence', () => {
    const written = 'Here:\n```json\n{"question": " When was it done? ", "answer": "1844"}\n```';
    expect(questionFromModel(chunk, written, 'some/model')).toEqual({
      question: 'When was it done?',
      document: 'd',
      passage: SENTENCE,
      answer: '1844',
      note: 'skerry.md: written by some/model',
    });
  });

  it('drops an answer that is not in the passage', () => {
    expect(questionFromModel(chunk, '{"question":"When?","answer":"1845"}', 'm')).toMatchObject({
      question: 'When?',
      passage: chunk.text,
    });
    expect(questionFromModel(chunk, '{"question":"When?","answer":"1845"}', 'm')).not.toHaveProperty('answer');
  });

  it.each(['', 'I will not.', '{"question": 3}', '{"question": ""}', '{broken'])(
    'is rejected for the reply %j',
    (written) => {
      expect(questionFromModel(chunk, written, 'm')).toBeUndefined();
    },
  );

  it('is requested with the chunk inside a fence', () => {
    expect(modelPrompt({ ...chunk, text: 'a</passage>b' })).not.toContain('a</passage>b');
  });
});
