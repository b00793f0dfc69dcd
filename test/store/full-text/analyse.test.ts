import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  analyse,
  analyseAs,
  analyseForEmbedding,
  analyseForIndex,
  analyseQuery,
  cutQuery,
  MAX_QUERY_CHARACTERS,
  readQueryTerms,
} from '../../../src/store/full-text/analyse.ts';
import { stopWords } from '../../../src/store/full-text/stop-words.ts';
import { processorTime } from '../../support/processor-time.ts';

describe('analyse', () => {
  it.each([
    ['stems English words', 'running runners connected', ['run', 'runner', 'connect']],
    ['ignores case', 'Nietzsche NIETZSCHE nietzsche', ['nietzsch', 'nietzsch', 'nietzsch']],
    ['keeps a whole identifier beside its parts', 'DiffExecutor', ['diffexecutor', 'diff', 'executor']],
    ['cuts identifiers at underscores', 'max_file_size', ['maxfiles', 'max', 'file', 'size']],
    ['tells an acronym from the word after it', 'XMLHttpRequest', ['xmlhttprequest', 'xml', 'http', 'request']],
    ['cuts letters from digits', 'utf8', ['utf8', 'utf', '8']],
    ['reads a number with thousands as one', '1,234,567.89', ['1234567.89']],
    ['leaves punctuation out', 'C++, (e.g.) [x]!', ['c', 'e', 'g', 'x']],
    ['drops the ends of contracted words', "it's the dog's", ['it', 'the', 'dog']],
    ['cuts French and Italian articles off', "l'université", ['l', 'universit']],
    ['takes compatibility forms for what they mean', 'ﬁle ＡＢＣ ①', ['file', 'abc', '1']],
    ['folds Latin accents', 'naïve Zürich Łódź', ['naiv', 'zurich', 'lodz']],
    ['gives Russian words and their beginnings', 'правительства', ['правительства', 'прави-']],
    ['folds Greek accents and the final sigma', 'λόγος', ['λογοσ', 'λογοσ-']],
    ['keeps the marks of Devanagari inside words', 'हिन्दी', ['हिन्दी', 'हिन्द-']],
    ['leaves Arabic vowel signs out', 'كِتَابٌ', ['كتاب']],
    ['leaves articles, conjunctions and endings of Arabic words off', 'والمكتبات مكتبة', ['مكتب', 'مكتب']],
    ['leaves letters of short Arabic words', 'ال ولد هي', ['ال', 'ولد', 'هي']],
    ['gives Arabic words and the beginnings of their stems', 'المستشفيات', ['مستشف', 'مستشف-']],
    ['gives pairs of Chinese characters', '防守队', ['防守', '守队']],
    ['gives a lone Chinese character as itself', '水', ['水']],
    ['gives pairs of Japanese characters', 'ラーメン', ['ラー', 'ーメ', 'メン']],
    ['gives pairs of Korean syllables', '한국어', ['한국', '국어']],
    ['gives triples of Thai characters', 'สวัสดี', ['สวั', 'วัส', 'ัสด', 'สดี']],
    ['cuts where scripts change', 'Pythonを使う', ['python', 'を使', '使う']],
    ['finds nothing in signs alone', '—…!? ___', []],
  ])('%s', (_, text, terms) => {
    expect(analyse(text)).toEqual(terms);
  });

  it('does not segment Arabic words for embedders, to match stored vectors', () => {
    expect(analyseForEmbedding('المكتبات running')).toEqual(['المكتبات', 'المكت-', 'run']);
  });

  it('yields prefixes of words in other Latin languages instead of English stems', () => {
    expect(analyse('Die Verteidigung der Stadt ist nicht leicht')).toContain('verte-');
    expect(analyse('The defence of the city is not easy')).not.toContain('defen-');
    expect(analyse('const verteidigung = stadt.defence(os, el)')).not.toContain('verte-');
  });

  it('never yields a term with a space, an empty or an overlong one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const term of analyse(text)) {
          expect(term).not.toMatch(/\s/);
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(66);
          expect(term.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  it('yields the same terms for pieces of text that are one word as for any other', () => {
    const mark = fc.constantFrom('', '.', ',', '"', '(', ')', '’', '-', '_', '/', "'s", '2', '\u00ad', '\u0301', '東');
    const word = fc.constantFrom('The', 'running', 'NATO', 'fileName', 'of', 'Straße', 'houses', 'ﬁles', 'y', "l'eau");
    const space = fc.constantFrom(' ', '\n', '\u00a0', '\u3000', '\t ');
    const piece = fc.tuple(mark, word, mark, space).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        // A query is not split into pieces, since its words and identifiers are collected.
        const terms = new Set(readQueryTerms(text).terms);
        const ofContent = (isInflected: boolean) =>
          new Set(analyseAs(text, isInflected).filter((term) => !stopWords.has(term)));
        const [inflected, plain] = [ofContent(true), ofContent(false)];
        if (inflected.size === 0) return;
        expect([inflected, plain]).toContainEqual(terms);
      }),
    );
  });

  it.each([
    'a'.repeat(2_000_000),
    'aB'.repeat(1_000_000),
    '1.'.repeat(1_000_000),
    '漢'.repeat(500_000),
    'a_'.repeat(1_000_000),
    '('.repeat(2_000_000),
    `a${'.'.repeat(2_000_000)}b`,
    `${'('.repeat(1_000_000)}a${'.'.repeat(1_000_000)}é`,
    '\u0301'.repeat(1_000_000),
  ])('is quick on a file of one word (%#)', (text) => {
    expect(processorTime(() => analyse(text))).toBeLessThan(5_000);
  });
});

describe('analyseQuery', () => {
  it('returns each term once and drops stop words', () => {
    expect(analyseQuery('What is the purpose of the purpose?')).toEqual(['purpos']);
    expect(readQueryTerms('What is the purpose of the purpose?').repeats).toEqual([['purpos', 2]]);
    expect(readQueryTerms('one purpose').repeats).toEqual([]);
  });

  it('keeps the stop words of a query without other words', () => {
    expect(analyseQuery('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });

  it('returns the parts of identifiers that occur nowhere else in the query', () => {
    expect(readQueryTerms('size of max_file_size and oneWord').identifiers).toEqual([['maxfiles', ['max', 'file']]]);
    expect(readQueryTerms('_private __init__').identifiers).toEqual([]);
  });

  it('yields terms that occur in any text with the same words', () => {
    const words = fc.constantFrom('House', 'Straße', 'книгами', '東京都', 'fileName', 'ประเทศ', '3.14', 'running');
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 5 }), (chosen) => {
        const indexed = new Set(analyse(`Before ${chosen.join(' ')} after`));
        for (const word of chosen) expect(analyseQuery(word).some((term) => indexed.has(term))).toBe(true);
      }),
    );
  });
});

describe('analyseForIndex', () => {
  it('keeps the words of title and headings apart from those of the text', () => {
    const indexed = analyseForIndex({ title: 'War and Peace', headingPath: ['Part One'], text: 'Eh bien, mon prince' });
    expect(indexed).toEqual({ title: 'war and peac part on', body: 'eh bien mon princ' });
  });

  it('indexes a heading that repeats the title once', () => {
    const indexed = analyseForIndex({ title: 'Peace', headingPath: ['Peace', 'Peace'], text: '' });
    expect(indexed.title).toBe('peac');
  });
});

describe('a query as long as a book', () => {
  const words = Array.from({ length: 60_000 }, (_, place) => `word${place}`).join(' ');

  it('is cut at the end of a word', () => {
    const cut = cutQuery(words);
    expect(cut.length).toBeLessThanOrEqual(MAX_QUERY_CHARACTERS);
    expect(words.startsWith(`${cut} `)).toBe(true);
    expect(cutQuery('x'.repeat(60_000))).toHaveLength(MAX_QUERY_CHARACTERS);
  });

  it('has a bounded number of terms, also where each word has several', () => {
    expect(analyseQuery(words).length).toBeLessThanOrEqual(2_000);
    const short = Array.from({ length: 6_000 }, (_, place) => place.toString(36)).join(' ');
    expect(analyseQuery(short)).toHaveLength(2_000);
  });
});
