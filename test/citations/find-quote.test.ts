import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findQuote } from '../../src/citations/find-quote.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';
import { foundChunk } from '../support/found.ts';

const analyser = { analyse, analyseQuery };

const tower = foundChunk(
  'The Eiffel Tower stands in Paris. It was finished in 1889 for the World’s Fair.\n' +
    'It is 330 metres tall, and was the tallest structure in the world until 1930. Its paint weighs 60 tonnes.',
  { start: 100, page: 4, headingPath: ['Sights', 'Towers'] },
);

const quoteFor = (statement: string, question = '', chunk = tower) =>
  findQuote({ chunk, statement, question, analyser });

describe('findQuote', () => {
  it.each([
    [
      'the sentence that shares most with the statement',
      'They finished it in 1889.',
      'It was finished in 1889 for the World’s Fair.',
    ],
    [
      'words that are quoted, wherever they begin',
      'It was “the tallest structure in the world” then.',
      'the tallest structure in the world',
    ],
    ['quoted words set otherwise', 'It was built "for the world\'s fair. It is".', 'for the World’s Fair.\nIt is'],
    [
      'the longer of two quotations',
      'Said to be "tallest structure" and "330 metres tall, and was".',
      '330 metres tall, and was',
    ],
    [
      'both sentences when a statement rests on two',
      'It is 330 metres tall and carries 60 tonnes of paint.',
      'It is 330 metres tall, and was the tallest structure in the world until 1930. Its paint weighs 60 tonnes.',
    ],
    [
      'the sentence that shares a little with a long paraphrase',
      'Engineers, politicians and journalists from several countries argued for decades over how much weight the coat of ' +
        'colour really adds, and whether paint of another sort would protect steel against corrosion any better.',
      'Its paint weighs 60 tonnes.',
    ],
    [
      'the sentence whose words begin alike',
      'The structural design stayed unmatched for forty years and more.',
      'It is 330 metres tall, and was the tallest structure in the world until 1930.',
    ],
    ['the whole chunk when nothing is alike', 'Bananas are yellow.', tower.text],
    ['the whole chunk for an empty statement', '', tower.text],
  ])('gives %s', (_name, statement, text) => {
    expect(quoteFor(statement).text).toBe(text);
  });

  it('uses the question when the statement has few terms', () => {
    expect(quoteFor('Yes.', 'Does the paint weigh 60 tonnes?').text).toBe('Its paint weighs 60 tonnes.');
  });

  it('works in a script without spaces', () => {
    const chunk = foundChunk('埃菲尔铁塔位于巴黎。它于1889年建成。油漆重60吨。');
    expect(quoteFor('铁塔在1889年建成', '', chunk).text).toBe('它于1889年建成。');
  });

  it('gives one row of a table', () => {
    const chunk = foundChunk('| City | Inhabitants |\n|---|---|\n| Bonn | 331,885 |\n| Cologne | 1,087,353 |');
    expect(quoteFor('Bonn has 331,885 inhabitants', '', chunk).text).toBe('| Bonn | 331,885 |');
  });

  it('gives offsets in the document, page and headings', () => {
    const quote = quoteFor('The tower was completed in 1889.');
    expect(quote).toMatchObject({ page: 4, headingPath: ['Sights', 'Towers'] });
    expect(tower.text.slice(quote.start - 100, quote.end - 100)).toBe(quote.text);
  });

  it('always gives an exact substring of the chunk', () => {
    const words = fc.array(
      fc.constantFrom('tower', 'Paris.', '1889', '“', '”', '\n', '  ', '塔', '😀', '"tall, and was', '"'),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(words, words, fc.nat(1000), (given, said, start) => {
        const chunk = foundChunk(`x ${given.join(' ')}`, { start });
        const quote = quoteFor(said.join(' '), '', chunk);
        expect(quote.text).toBe(chunk.text.slice(quote.start - start, quote.end - start));
        expect(quote.text.length).toBeGreaterThan(0);
      }),
    );
  });
});
