import type { SubjectMention } from './gather-subjects.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { GraphLanguage } from './language.ts';
import { foreignPatterns } from './relation-words.ts';
import type { Sentence } from './sentence.ts';
import { isCityAndCountry, isPlausible, type StatementDraft } from './statement.ts';
import { wordsOf } from './tokens.ts';

const MAX_PATTERN_LENGTH = 90;

const IN_PHRASE_DE = /^(?:von|vom|in|im|an|am|auf|aus|bei|beim|für|mit|nach|bis|zu|zum|zur|über|unter|vor|zwischen)$/;

/** The word before a mention, leaving out an article. */
function wordBefore(tokens: Sentence['tokens'], { candidate }: SubjectMention): string {
  const before = tokens[candidate.from - 1]?.lower ?? '';
  return /^(?:der|die|das|dem|den|des)$/.test(before) ? (tokens[candidate.from - 2]?.lower ?? '') : before;
}

/** Statements of a sentence in a language whose relations are found by the patterns of its words. */
export function relateByPatterns(
  { tokens }: Sentence,
  placed: readonly SubjectMention[],
  { language, gazetteer }: { readonly language: GraphLanguage; readonly gazetteer: Gazetteer },
): StatementDraft[] {
  const patterns = foreignPatterns[language] ?? [];
  const statements: StatementDraft[] = [];
  for (const [place, first] of placed.entries()) {
    // A date may occur between the two.
    for (const second of placed.slice(place + 1, place + 3)) {
      const between = wordsOf(tokens.slice(first.candidate.to, second.candidate.from));
      if (between === ',' && isCityAndCountry(first, second, gazetteer)) {
        statements.push({ subject: first.subject, predicate: 'located_in', object: second.subject });
        break;
      }
      if (between === '' || between.length > MAX_PATTERN_LENGTH) continue;
      const behind = wordsOf(tokens.slice(second.candidate.to, second.candidate.to + 6));
      const found = patterns.find((pattern) => pattern.between.test(between) && (pattern.behind?.test(behind) ?? true));
      if (found === undefined || first.candidate.kind === 'date' || second.candidate.kind === 'date') continue;
      // `der Hafen von Holm wurde von … gebaut`: the verb is said of the harbour.
      if (found.isReversed && language === 'de' && IN_PHRASE_DE.test(wordBefore(tokens, first))) continue;
      const [subject, object] = found.isReversed ? [second.subject, first.subject] : [first.subject, second.subject];
      statements.push(...[{ subject, predicate: found.predicate, object }].filter(isPlausible));
      break;
    }
  }
  return statements;
}
