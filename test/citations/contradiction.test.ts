import { describe, expect, it } from 'vitest';
import { checkStatement, toComparableText } from '../../src/citations/check-citation.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

const analyser = { analyse, analyseQuery };
const verdictOf = (statement: string, cited: string, ...others: readonly string[]) =>
  checkStatement({
    statement,
    cited: toComparableText(cited, analyser),
    others: others.map((text, index) => [index + 2, toComparableText(text, analyser)] as const),
    analyser,
  }).verdict;

describe('a statement is not supported by a sentence about the same', () => {
  it.each([
    ['that denies it', 'Dogs may travel in the lounge.', 'Dogs may not travel in the lounge.'],
    ['that denies it at its beginning', 'Food is allowed in the museum.', 'No food is allowed in the museum.'],
    [
      'that denies it with one word',
      'Tickets can be cancelled after departure.',
      'Tickets cannot be cancelled after departure.',
    ],
    ['that states what it denies', 'The device does not support Bluetooth.', 'The device supports Bluetooth.'],
    ['in German', 'Der Hund darf in die Lounge.', 'Der Hund darf nicht in die Lounge.'],
    ['with another number', 'The company has three ferries.', 'The company has two ferries.'],
    ['with another number in digits', 'The report covers four regions.', 'The report covers 6 regions.'],
    [
      'that says there are none',
      'An orphaned package has two maintainers.',
      'An orphaned package is one with no current maintainer.',
    ],
    [
      'that denies it with an exception',
      'Dogs are allowed in the building.',
      'Dogs are not allowed in the building, except guide dogs.',
    ],
    ['that says the opposite', 'The museum is closed on Mondays.', 'The museum is open on Mondays.'],
    ['that says the opposite with a prefix', 'Old tickets are limited.', 'Old tickets are unlimited.'],
    [
      'that says the opposite of the subject before',
      'Le musée est ouvert le lundi.',
      'Le musée est beau. Il est fermé le lundi.',
    ],
    ['with "not until" against "until"', 'The pool is open until ten.', 'The pool is not open until ten.'],
    ['with another year', 'The bridge was opened in 1938.', 'The bridge was opened in 1937. It was painted in 1938.'],
    ['with another time', 'The gel runs at 90 volts for one hour.', 'The gel runs at 90 volts for 45 minutes.'],
    [
      'beside sentences about something else',
      'Lost property is forwarded by post.',
      'Lost property is kept for 30 days. It is not sold. Lost property is never forwarded by post.',
    ],
  ])('%s', (_, statement, source) => {
    expect(verdictOf(statement, source)).toBe('not_found');
  });
});

describe('a statement is supported', () => {
  it.each([
    ['by another negation', 'Ferries do not run in strong wind.', 'In strong wind, no ferries run.'],
    [
      'by a negation with a preposition',
      'A package without a maintainer is orphaned.',
      'Orphaned packages have no maintainer.',
    ],
    [
      'although the sentence continues with a negation',
      'Dogs travel free of charge.',
      'Dogs travel free of charge, not in the lounge.',
    ],
    ['by the negation of its opposite', 'The museum is closed on Mondays.', 'The museum is not open on Mondays.'],
    ['by "not until"', 'The tunnel opened in 1932.', 'The tunnel did not open until 1932.'],
    [
      'by an exception',
      'Guide dogs are allowed in the building.',
      'Dogs are not allowed in the building, except guide dogs.',
    ],
    [
      'where both use exceptions',
      'You need a key only for a cloud model.',
      'You need no key unless it is a cloud model.',
    ],
    ['by a number in digits', 'Members can borrow three books at once.', 'Members can borrow 3 books at once.'],
    ['although it counts what the source does not', 'Both of the two ferries run daily.', 'The ferries run daily.'],
    [
      'by a sentence with a larger number in words',
      'It is kept for 21 days in the chest.',
      'It is kept for twenty-one days in the chest.',
    ],
    [
      'by "one of" several',
      'The ferry stops at one of the two piers.',
      'The ferry stops at one of two piers, by the tide.',
    ],
    ['with the month of May', 'The market is held in Mai, on the square.', 'The market is held on the square.'],
    ['by "not only"', 'The ticket covers the ferry and the bus.', 'The ticket covers not only the ferry and the bus.'],
    [
      'by one of two sentences about the same',
      'The ferry runs on Sundays in summer.',
      'The ferry runs on Sundays in summer. The ferry does not run on Sundays in winter.',
    ],
  ])('%s', (_, statement, source) => {
    expect(['close', 'verbatim']).toContain(verdictOf(statement, source));
  });

  it('elsewhere, if the other source has as many of its words', () => {
    const denied = 'Dogs may not travel in the lounge.';
    expect(verdictOf('Dogs may travel in the lounge.', denied, 'Small dogs may travel in the lounge.')).toBe(
      'elsewhere',
    );
    expect(verdictOf('Dogs may travel in the lounge.', denied, 'Dogs sleep in the lounge.')).toBe('not_found');
  });
});

it('a text of many sentences about the same is compared in linear time', () => {
  const source = 'Dogs may not travel in the lounge at night. '.repeat(2_000);
  expect(verdictOf('Dogs may travel in the lounge at night.', source)).toBe('not_found');
});
