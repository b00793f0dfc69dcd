import { describe, expect, it } from 'vitest';
import { checkStatement, createStatementCheck, toComparableText } from '../../src/citations/check-citation.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

const analyser = { analyse, analyseQuery };
const verdictOf = (statement: string, text: string, titles = '') =>
  checkStatement({ statement, cited: toComparableText(text, analyser, titles), others: [], analyser }).verdict;

const library = [
  'Adults pay 25 euros a year; children and students join free of charge. A lost card must be reported at once, and a',
  'new one costs 5 euros.\n\nBooks are lent for four weeks. Films may be kept for one week only. Reference works cannot be',
  'taken home.\n\nThings left behind are kept at the front desk. They are handed to the town hall after 30 days. Umbrellas',
  'are not kept. The reading room is open from 9 to 20. The gym closes at 18. Mr Albrecht manages the house, and Ms Weiss',
  'reads the meters.',
].join(' ');
const pool = `| Ticket | Adults | Children | Valid for |
|---|---|---|---|
| Single | 6 euros | 3 euros | one day |
| Season | 140 euros | 70 euros | two years |

- Lockers: 1 euro
- Sauna: 12 euros, from 16 years`;
const shop = [
  'Pakete innerhalb Deutschlands sind zwei Werktage unterwegs. Sendungen in die Schweiz brauchen fünf Werktage. Ware kann',
  'innerhalb von 30 Tagen zurückgegeben werden. Das Geld wird innerhalb von sieben Tagen erstattet. Gutscheine sind davon',
  'ausgenommen. Der Laden hat montags geöffnet. Samstags ist er geschlossen. Die Werkstatt nimmt Reparaturen an.',
].join(' ');

describe('a statement is not supported by words of several sentences', () => {
  it.each([
    ['another subject of a number', 'Lost cards are kept for 30 days.', library],
    ['a number of another sentence', 'Films are lent for four weeks.', library],
    ['what a pronoun does not stand for', 'Umbrellas are handed to the town hall after 30 days.', library],
    ['another clause of the sentence', 'Children pay 25 euros a year.', library],
    ['a price of something else', 'A lost card costs 25 euros.', library],
    ['an hour of something else', 'The gym is open until 20.', library],
    ['what another does', 'Mr Albrecht reads the meters.', library],
    ['another row of a table', 'A single ticket is valid for two years.', pool],
    ['another column of a table', 'A season ticket costs 70 euros for adults.', pool],
    ['another item of a list', 'The sauna costs 1 euro.', pool],
    ['in German', 'Sendungen in die Schweiz sind zwei Werktage unterwegs.', shop],
    ['a time of something else in German', 'Das Geld wird innerhalb von 30 Tagen erstattet.', shop],
    ['opening hours of something else', 'Die Werkstatt hat montags geöffnet.', shop],
    ['in Chinese', '雨伞保存三十天。', '遗失物品保存三十天，由前台保管。雨伞不予保管。'],
    ['an hour instead of minutes', 'Boats stay for an hour.', 'Boats stay for at most 30 minutes.'],
    [
      'a place of another sentence',
      'Fuel is sold at the south pier.',
      'Fuel is sold at the east pier only. Toilets are emptied at the south pier.',
    ],
    [
      'another number of days, which is in another sentence',
      'Laptops must be returned within five working days.',
      'The manager answers within five working days. Laptops must be returned on the last working day.',
    ],
    ['another time', 'It is kept for a week.', 'It is kept at the desk for two weeks.'],
    ['another unit', 'It is kept for 30 days at the desk.', 'It is kept at the desk for a fee of 30 kroner.'],
    [
      'a name of another sentence',
      'The pier was built by Ann Holm.',
      'The pier was built in 1911. Ann Holm sells fuel.',
    ],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).toBe('not_found');
  });
});

describe('a statement is supported', () => {
  it.each([
    ['in other words', 'Forgotten things go to the town hall after 30 days.', library],
    ['by a clause that refers to the one before', 'A new card in place of a lost one costs 5 euros.', library],
    ['by clauses in two places', 'Adults pay 25 euros a year, and books are lent for four weeks.', library],
    [
      'by sentences that follow each other',
      'The pier of 220 metres was built in 1911.',
      'The pier is old. It was built in 1911. It is 220 metres long.',
    ],
    ['by the cell of a table', 'A season ticket costs 140 euros for adults.', pool],
    ['by an item of a list', 'The sauna costs 12 euros and admits guests from 16 years.', pool],
    ['in German', 'Die Lieferung in die Schweiz dauert fünf Werktage.', shop],
    ['in Chinese', '遗失的物品保存三十天。', '遗失物品保存三十天，由前台保管。雨伞不予保管。'],
    [
      'with the unit of a price',
      'A litre of diesel costs 18 kroner, and a berth 240 kroner a day.',
      'Diesel costs 18 kroner per litre. A berth costs 240 kroner a day, for at most 30 days.',
    ],
    [
      'with a verb that other sentences have',
      'Dogs need to be on a leash.',
      'Showers need a token. Dogs must be kept on a leash.',
    ],
    ['with a price per hour', 'Parking costs 5 an hour.', 'Parking costs 5 kroner per hour.'],
    ['with a unit by another name', 'The flour weighs 2 kilograms.', 'Add the flour, which weighs 2 kg.'],
    ['with half of a unit', 'Boats stay for half an hour.', 'Boats stay for at most 30 minutes.'],
    ['with a time in another unit', 'The dough rests for 60 minutes.', 'The dough rests for one hour in the bowl.'],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).not.toBe('not_found');
  });

  it('with a word of the title or a heading', () => {
    const text = '## Lost property\n\nEverything is kept for 30 days at the desk. Bicycles are kept in the yard.';
    expect(verdictOf('Lost property is kept for 30 days.', text)).toBe('close');
    expect(verdictOf('Lost property is kept for 30 days.', 'Everything is kept for 30 days.', 'Lost property')).toBe(
      'close',
    );
  });
});

describe('words of a verbatim statement', () => {
  it('are whole words and numbers', () => {
    expect(verdictOf('The ticket costs 12', 'The ticket costs 120 kroner.')).toBe('not_found');
    expect(verdictOf('The ticket costs 12', 'The ticket costs 12.50 kroner.')).toBe('not_found');
    expect(verdictOf('The ticket costs 12', 'The ticket costs 12, or less.')).toBe('verbatim');
  });

  it('are not negated by those around them', () => {
    expect(verdictOf('The ferries run in winter', 'None of the ferries run in winter.')).toBe('not_found');
    expect(verdictOf('Das Café öffnet sonntags', 'Das Café öffnet sonntags nicht.')).toBe('not_found');
  });
});

describe('a text is analysed once', () => {
  it('for all statements, in linear time', () => {
    let analysed = 0;
    const counting = {
      analyseQuery,
      analyse(text: string) {
        analysed += text.length;
        return analyse(text);
      },
    };
    const text = toComparableText(`${library} `.repeat(20), counting);
    createStatementCheck('Lost cards are kept for 30 days.', counting)(text);
    const first = analysed;
    for (let count = 0; count < 20; count++)
      createStatementCheck(`Lost cards are kept for ${count + 40} days.`, counting)(text);
    expect(analysed - first).toBeLessThan(first);
  });
});
