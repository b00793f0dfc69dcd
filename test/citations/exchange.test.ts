import { describe, expect, it } from 'vitest';
import { checkStatement, toComparableText } from '../../src/citations/check-citation.ts';
import { analyse, analyseQuery } from '../../src/store/full-text/analyse.ts';

const analyser = { analyse, analyseQuery };
const verdictOf = (statement: string, text: string) =>
  checkStatement({ statement, cited: toComparableText(text, analyser), others: [], analyser }).verdict;

const lease = "The tenant may end the lease with 60 days' notice, the landlord with 90 days' notice.";
const cars = 'Company cars are ordered through the fleet manager, rental cars through the travel portal.';
const client = 'The cache is disabled by default and is enabled by passing a flag.';
const vote = 'Über die Aufnahme entscheidet die Leitung, über Beschwerden der Elternbeirat.';
const yoga = 'Las clases de yoga se dan en la sala 2 y las de ciclismo en la sala 4.';
const loans = 'Chaque lecteur peut emprunter dix livres pour trois semaines et quatre films pour une semaine.';
const theatre = "The city's oldest theatre burned down in 1911 and was rebuilt in 1920.";
const parking = 'Guests can park in the courtyard during the day and in the street at night.';
const bridge = 'The bridge was planned in 1901 by the engineer Hall and finished in 1907 by his student Reyes.';
const figures = "The company's revenue rose to 12 million euros in 2022, while its costs fell to 9 million.";
const company = 'Lena Vogt founded the company in 2004 and sold it to Arvato in 2016.';
const annex = "Marta Lindgaard, the mayor's wife, opened the annex in 1998.";
const canteen = '社員食堂は地下一階、会議室は四階にあります。';
const hotel = '洗衣服务由客房部提供，机场接送由礼宾部安排。';

describe('a statement is not supported that exchanges two facts of a sentence', () => {
  it.each([
    ['numbers', "The tenant may end the lease with 90 days' notice.", lease],
    ['what stands after the same word', 'Company cars are ordered through the travel portal.', cars],
    ['what stands before the same word', 'The cache is enabled by default.', client],
    ['times of clauses with one subject', 'The theatre was rebuilt in 1911.', theatre],
    ['times of clauses with one subject and object', 'Lena Vogt sold the company in 2004.', company],
    ['places of clauses with one verb', 'Guests can park in the courtyard at night.', parking],
    ['persons, of whom one has a possessive pronoun', 'The engineer Hall finished the bridge.', bridge],
    ['subjects', 'Costs rose to 12 million euros.', figures],
    ['in German', 'Über die Aufnahme entscheidet der Elternbeirat.', vote],
    ['in Spanish', 'Las clases de yoga se dan en la sala 4.', yoga],
    ['in French', 'On peut emprunter dix films pour trois semaines.', loans],
    ['in Japanese', '会議室は地下一階にあります。', canteen],
    ['in Chinese', '机场接送由客房部安排。', hotel],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).toBe('not_found');
  });
});

describe('a statement is supported that keeps the facts of a sentence together', () => {
  it.each([
    ['numbers', "The landlord may end the lease with 90 days' notice.", lease],
    ['what stands after the same word', 'Rental cars are ordered through the travel portal.', cars],
    ['what stands before the same word', 'The cache is disabled by default.', client],
    ['times of clauses with one subject', 'The theatre burned down in 1911.', theatre],
    ['the later of these times', 'The theatre was rebuilt in 1920.', theatre],
    ['times of clauses with one subject and object', 'Lena Vogt sold the company in 2016.', company],
    ['places of clauses with one verb', 'Guests may park in the street at night.', parking],
    ['persons, of whom one has a possessive pronoun', 'Reyes finished the bridge in 1907.', bridge],
    ['subjects', 'Revenue rose to 12 million euros.', figures],
    ['in German', 'Über Beschwerden entscheidet der Elternbeirat.', vote],
    ['in Spanish', 'Las clases de ciclismo se dan en la sala 4.', yoga],
    ['in French', 'On peut emprunter quatre films pour une semaine.', loans],
    ['in Japanese', '会議室は四階にあります。', canteen],
    ['in Chinese', '机场接送由礼宾部负责安排。', hotel],
    ['one of a list', 'The shop sells bread.', 'The shop sells milk, bread, eggs from the farm and fresh fruit.'],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).not.toBe('not_found');
  });
});

describe('an owner in a sentence', () => {
  it.each([
    ['The mayor opened the annex in 1998.', annex, 'not_found'],
    ['Marta Lindgaard is the mayor.', annex, 'not_found'],
    ['The wife of the mayor opened the annex in 1998.', annex, 'close'],
    ['The company had revenue of 12 million euros in 2022.', figures, 'close'],
    ['The office is open on Mondays.', "It's the office that's open on Mondays and Fridays.", 'close'],
  ])('is what a statement is about only with what it owns: %s', (statement, text, verdict) => {
    expect(verdictOf(statement, text)).toBe(verdict);
  });
});

describe('a statement is not supported by a sentence that has another word in its place', () => {
  it.each([
    [
      'if the word stands in another sentence',
      'Employees may work from abroad up to three days a week.',
      'Employees may work from home up to three days a week. Work from abroad needs an approval.',
    ],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).toBe('not_found');
  });

  it('unless the word stands nowhere, and may be another for the same', () => {
    expect(verdictOf('The pool is shut in August for repairs.', 'The pool stays closed in August for repairs.')).toBe(
      'close',
    );
  });
});

describe('in a script without spaces, a statement is not supported by a clause', () => {
  it.each([
    ['that denies it', '酒店允许携带宠物。', '酒店不允许携带宠物。'],
    ['that states what it denies', '图书馆周末不开放。', '图书馆周末开放。'],
    ['that denies it at its end', '夜間に利用できます。', '夜間に利用できません。'],
  ])('%s', (_, statement, text) => {
    expect(verdictOf(statement, text)).toBe('not_found');
  });

  it('but by one that negates as well, or with a word that only looks like a negation', () => {
    expect(verdictOf('酒店内不允许携带宠物。', '酒店不允许携带宠物。')).toBe('close');
    expect(verdictOf('两座桥的长度不同。', '两座桥的长度和宽度不同。')).toBe('close');
    expect(verdictOf('这家酒店的房间很大。', '这家酒店的房间非常大。')).toBe('close');
  });
});
