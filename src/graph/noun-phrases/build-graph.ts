import type { Entity, ExtractedGraph, GraphChunk, Mention, Relationship } from '../graph.ts';
import { findCoOccurrences } from './co-occurrence.ts';
import { describeSubject, toDescription } from './describe-subject.ts';
import type { Gathered } from './gather-subjects.ts';
import type { MentionCandidate, Subject } from './mention-candidate.ts';
import type { Sentence } from './sentence.ts';
import { categoryOf, type Statement, type StatementDraft } from './statement.ts';

/** A document keeps at most this many entities, the most mentioned ones. */
const MAX_ENTITIES = 5_000;
const MAX_RELATIONSHIPS = 15_000;
const MAX_ALIASES = 8;
const MAX_STATED_RELATIONSHIPS = 50;

export interface Findings {
  readonly chunks: readonly GraphChunk[];
  readonly sentences: readonly Sentence[];
  readonly gathered: Gathered;
  readonly statements: readonly Statement[];
  /** Whether the subject is significant without being defined or related. */
  isSignificantAlone(subject: Subject): boolean;
}

/** Selects the significant subjects, names them, and locates their mentions. */
export function buildGraph(findings: Findings): ExtractedGraph {
  const { gathered, statements, sentences, chunks } = findings;
  const kept = chooseSubjects(findings);
  const names = nameSubjects(kept);
  const recorder = recorderOf(findings, names);
  const entities = kept.map((subject): Entity => {
    const name = names.get(subject) ?? subject.key;
    return {
      name,
      category: categoryOf(subject),
      description: describeSubject(subject, sentences, chunks),
      metadata: aliasesOf(subject, name),
      mentions: subject.mentions.map(({ sentence, start, end }) => recorder.mention(sentence, start, end)),
    };
  });
  const { stated, pairs } = groupStatements(statements, names);
  const relationships = stated.map(([first, ...others]) => {
    const places = [...new Set([first, ...others].map(({ sentence }) => sentence))];
    return recorder.relationship(first, 1 + Math.log2(places.length), places);
  });
  const isWanted = (subject: Subject): boolean => subject.kind !== 'date' && names.has(subject);
  for (const found of findCoOccurrences(sentences, gathered.inSentences, isWanted)) {
    const { first: subject, second: object, weight, sentences: places } = found;
    if (pairs.has(pairOf(names.get(subject), names.get(object)))) continue;
    relationships.push(recorder.relationship({ subject, predicate: 'occurs_with', object }, weight, places));
  }
  return { entities, relationships: relationships.slice(0, MAX_RELATIONSHIPS) };
}

const pairOf = (subject: string | undefined, object: string | undefined): string => `${subject}\n${object}`;

/** Equal statements about named subjects together, and the pairs of names that they relate, in both orders. */
function groupStatements(statements: readonly Statement[], names: ReadonlyMap<Subject, string>) {
  const stated = new Map<string, [Statement, ...Statement[]]>();
  const pairs = new Set<string>();
  for (const statement of statements) {
    const [subject, object] = [names.get(statement.subject), names.get(statement.object)];
    if (subject === undefined || object === undefined) continue;
    const key = `${subject}\n${statement.predicate}\n${object}`;
    const known = stated.get(key);
    if (known === undefined) stated.set(key, [statement]);
    // Once there are as many as are kept, the latest replaces the one before it.
    else known.splice(MAX_STATED_RELATIONSHIPS - 1, 1, statement);
    pairs.add(pairOf(subject, object)).add(pairOf(object, subject));
  }
  return { stated: [...stated.values()], pairs };
}

/** Makes the records of a graph, with their places in the chunks. */
function recorderOf({ sentences, chunks }: Findings, names: ReadonlyMap<Subject, string>) {
  const mention = (sentence: number, start: number, end: number): Mention => ({
    chunkId: chunks[sentences[sentence]?.chunkIndex ?? 0]?.chunkId ?? '',
    start,
    end,
  });
  const textOf = (sentence: Sentence | undefined): string =>
    toDescription(chunks[sentence?.chunkIndex ?? -1]?.text.slice(sentence?.start, sentence?.end) ?? '');
  return {
    mention,
    relationship: (
      { subject, predicate, object }: StatementDraft,
      weight: number,
      places: readonly number[],
    ): Relationship => ({
      subject: names.get(subject) ?? subject.key,
      predicate,
      object: names.get(object) ?? object.key,
      description: textOf(sentences[places[0] ?? -1]),
      weight: Math.round(weight * 1000) / 1000,
      metadata: {},
      mentions: places.map((place) => mention(place, sentences[place]?.start ?? 0, sentences[place]?.end ?? 0)),
    }),
  };
}

/** Selects subjects: a rare term is kept if a sentence defines it, a date if it recurs or a statement refers to it. */
function chooseSubjects({ gathered, statements, isSignificantAlone }: Findings): Subject[] {
  const defined = new Set<Subject>();
  const related = new Set<Subject>();
  for (const { subject, predicate, object } of statements) {
    if (predicate === 'is_a') defined.add(subject).add(object);
    related.add(subject).add(object);
  }
  const isRelevant = (subject: Subject): boolean =>
    isSignificantAlone(subject) ||
    (subject.kind === 'date' ? related.has(subject) || subject.mentions.length > 2 : defined.has(subject));
  return [...gathered.subjects.values()]
    .filter(isRelevant)
    .sort((a, b) => importance(b, related) - importance(a, related))
    .slice(0, MAX_ENTITIES);
}

const importance = (subject: Subject, related: ReadonlySet<Subject>): number =>
  subject.mentions.length + (subject.kind === 'name' ? 1 : 0) + (related.has(subject) ? 1 : 0);

/** The most frequent spelling of the full name; the first one on a tie. Names are unique. */
function nameSubjects(subjects: readonly Subject[]): Map<Subject, string> {
  const names = new Map<Subject, string>();
  const taken = new Set<string>();
  for (const subject of subjects) {
    const name = spellings(subject, ({ form }) => form === subject.key)[0] ?? subject.key;
    if (taken.has(name)) continue;
    taken.add(name);
    names.set(subject, name);
  }
  return names;
}

function spellings({ mentions, kind }: Subject, isWanted: (spotted: MentionCandidate) => boolean): string[] {
  const counts = new Map<string, number>();
  for (const mention of mentions) {
    if (isWanted(mention)) counts.set(mention.text, (counts.get(mention.text) ?? 0) + 1);
  }
  const occursInLowerCase = [...counts.keys()].some((text) => /^\p{Ll}/u.test(text));
  // If a term also occurs in lower case, its capitalised spelling is only due to the beginning of a sentence.
  for (const [text, count] of kind === 'term' ? counts : []) {
    const small = text.charAt(0).toLowerCase() + text.slice(1);
    if (small === text || !occursInLowerCase) continue;
    counts.set(small, (counts.get(small) ?? 0) + count);
    counts.delete(text);
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text);
}

function aliasesOf(subject: Subject, name: string): Entity['metadata'] {
  const others = spellings(subject, ({ form }) => form !== subject.key).filter((text) => text !== name);
  return others.length > 0 ? { aliases: others.slice(0, MAX_ALIASES) } : {};
}
