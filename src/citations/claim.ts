import { once } from '../shared/once.ts';
import { type LabelledNumber, labelledNumbers, variantsOf } from './number-labels.ts';
import { requiredNumbers } from './numbers.ts';
import { beginsWithSubject, type Subject, subjectOf } from './subjects.ts';
import type { TextAnalyser } from './text-analyser.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Unit, unitsOf, type Word, wordsOf } from './words.ts';

/** Shorter numbers occur in many texts by chance: with this weight, "3 months" alone would be half of a statement. */
const LONG_NUMBER = /\d(?:\D*\d){2}/;
const LONG_NUMBER_WEIGHT = 2;
const NAME_WEIGHT = 2;

/** A clause, or a statement as a whole, prepared for comparisons. */
export interface Claim {
  readonly text: string;
  readonly units: readonly Unit[];
  /** Other names of the units that are units of measure. */
  readonly variants: readonly (readonly string[])[];
  readonly weights: readonly number[];
  readonly total: number;
  readonly terms: ReadonlySet<string>;
  readonly subject: Subject;
  readonly subjectTerms: ReadonlySet<string>;
  readonly names: ReadonlySet<Unit>;
  readonly numbers: readonly string[];
  readonly labelled: readonly LabelledNumber[];
  readonly tokens: () => readonly Token[];
  readonly analyser: TextAnalyser;
}

export function toClaim(statement: string, analyser: TextAnalyser, inherited?: Subject): Claim {
  const own = wordsOf(statement, analyser);
  const subject = inherited ?? subjectOf(statement, analyser);
  const units = distinct([...(inherited?.units ?? []), ...unitsOf(own)]);
  const ofSubject = new Set(subject.units.flatMap(({ terms }) => terms.slice(0, 1)));
  const names = new Set(namesIn(statement, own, units).filter(({ terms: [term = ''] }) => !ofSubject.has(term)));
  const weights = units.map((unit) =>
    LONG_NUMBER.test(unit.text) ? LONG_NUMBER_WEIGHT : names.has(unit) ? NAME_WEIGHT : 1,
  );
  return {
    text: statement,
    units,
    variants: units.map(({ text }) => variantsOf(text)),
    weights,
    total: sum(weights),
    terms: new Set(units.flatMap(({ terms }) => terms)),
    subject,
    subjectTerms: new Set(subject.units.flatMap((unit) => unit.terms)),
    names,
    numbers: requiredNumbers(statement),
    labelled: labelledNumbers(own),
    tokens: once(() => tokensOf(statement, own)),
    analyser,
  };
}

function distinct(units: readonly Unit[]): Unit[] {
  const seen = new Set<string>();
  return units.filter(({ terms: [term = ''] }) => !seen.has(term) && seen.add(term));
}

/** In German every noun has a capital letter, in titles every word. */
const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|ist|nicht|ein|eine|im|für|mit|auf|von|zu|wird|werden|sind|den|dem)(?!\p{L})/u;
const CAPITALISED = /^\p{Lu}\p{L}+$/u;
const MAX_SHARE_OF_NAMES = 0.5;

function namesIn(statement: string, words: readonly Word[], units: readonly Unit[]): Unit[] {
  if (GERMAN.test(statement)) return [];
  const capitalised = words.slice(1).filter(({ text }) => CAPITALISED.test(text));
  if (capitalised.length > words.length * MAX_SHARE_OF_NAMES) return [];
  const named = new Set(capitalised.map(({ text }) => text));
  return units.filter(({ text }) => named.has(text));
}

/** Where a clause may end and another begin. */
const BORDER =
  /;\s+|,?\s+(?:and|but|while|whereas|und|aber|sondern|während|et|mais|y|pero|e|ma|mas|en(?=\s(?:de|het|een)\s)|maar|och|men)\s+(?:then\s+|also\s+)?|,\s+(?=(?:which|who|where|whose)\s)|[，；]/giu;
/** More clauses than any sentence has; further ones stay together. */
const MAX_CLAUSES = 8;

/**
 * The clauses of a statement with enough words of their own; for each, the parts that begin with it, from the clause alone to
 * all but the whole statement. A part without a subject is about that of the first clause.
 */
export function clausesOf(statement: string, analyser: TextAnalyser): (() => Claim)[][] {
  const all = piecesOf(statement);
  const pieces = [
    ...all.slice(0, MAX_CLAUSES - 1),
    ...all.slice(MAX_CLAUSES - 1, MAX_CLAUSES).map(() => all.slice(MAX_CLAUSES - 1).join(' ')),
  ];
  const subject = subjectOf(pieces[0] ?? '', analyser);
  return pieces.map((_, start) => {
    const longest = pieces.length - start - (start === 0 ? 1 : 0);
    return Array.from({ length: longest }, (_each, ahead) =>
      once(() => {
        const part = pieces.slice(start, start + ahead + 1).join(' ');
        const own = subjectOf(part, analyser);
        const isWithout = start > 0 && (own.units.length === 0 || (!own.hasVerb && !beginsWithSubject(part)));
        return toClaim(part, analyser, isWithout ? subject : undefined);
      }),
    );
  });
}

/** The parts of a statement that may be clauses of their own, in order. */
function piecesOf(statement: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  for (const border of statement.matchAll(BORDER)) {
    pieces.push(statement.slice(start, border.index));
    start = border.index + border[0].length;
  }
  return [...pieces, statement.slice(start)];
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
