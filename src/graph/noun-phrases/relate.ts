import type { Gathered, SubjectMention } from './gather-subjects.ts';
import type { GraphLanguage } from './language.ts';
import { relateByPatterns } from './relate-by-patterns.ts';
import { type EnglishContext, relateEnglish } from './relate-english.ts';
import type { Sentence } from './sentence.ts';
import type { Statement } from './statement.ts';

export interface RelationContext extends Omit<EnglishContext, 'earlier'> {
  readonly language: GraphLanguage;
}

/** Extracts statements about a document's subjects from the words between two mentions. */
export function relate(
  sentences: readonly Sentence[],
  { inSentences }: Gathered,
  context: RelationContext,
): Statement[] {
  const statements: Statement[] = [];
  let earlier: SubjectMention | undefined;
  for (const [place, sentence] of sentences.entries()) {
    if (sentence.style !== 'prose') continue;
    const placed = inSentences[place] ?? [];
    if (sentences[place - 1]?.chunkIndex !== sentence.chunkIndex) earlier = undefined;
    const found =
      context.language === 'en'
        ? relateEnglish(sentence, placed, { earlier, ...context })
        : relateByPatterns(sentence, placed, context);
    for (const { subject, predicate, object } of found) {
      if (subject !== object) statements.push({ subject, predicate, object, sentence: place });
    }
    earlier = found[0]
      ? (placed.find(({ subject }) => subject === found[0]?.subject) ?? earlier)
      : (placed.find(({ candidate }) => candidate.kind === 'name') ?? earlier);
  }
  return statements;
}
