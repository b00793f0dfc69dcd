import { normalForm, normalTerm } from '../normal-form.ts';
import { addVotes, type CategoryVotes, decideCategory } from './category-votes.ts';
import { type DeclaredAlias, declaredAliases } from './declared-aliases.ts';
import type { CaseEvidence } from './document-evidence.ts';
import { findDates, type TokenSpan } from './find-dates.ts';
import { findNames, type NameContext } from './find-names.ts';
import { findTerms } from './find-terms.ts';
import { findUnspaced } from './find-unspaced.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { GraphLanguage } from './language.ts';
import type { MentionCandidate, Subject } from './mention-candidate.ts';
import type { Sentence } from './sentence.ts';

/** Maximum number of mentions per sentence; a sentence with more is a list and the rest is skipped. */
const MAX_PER_SENTENCE = 24;
const MAX_MENTIONS = 300;

export interface GatheringContext {
  readonly language: GraphLanguage;
  readonly gazetteer: Gazetteer;
  readonly evidence: CaseEvidence;
  /** The text has neither capitals nor spaces between words. */
  readonly isUnspaced: boolean;
  /** The text of a chunk, by its index. */
  textOf(chunkIndex: number): string;
}

export interface Gathered {
  readonly subjects: ReadonlyMap<string, Subject>;
  /** Mentions per sentence, in order, with their subjects. */
  readonly inSentences: readonly (readonly SubjectMention[])[];
}

export interface SubjectMention {
  readonly candidate: MentionCandidate;
  readonly subject: Subject;
}

/** Collects the subjects of a document's sentences, unifying mentions of the same thing. */
export function gatherSubjects(sentences: readonly Sentence[], context: GatheringContext): Gathered {
  const candidatesOf = sentences.map((sentence, place) => findCandidates(sentence, place, context));
  const votes = new Map<string, CategoryVotes>();
  const aliases: DeclaredAlias[] = [];
  const names = new Set<string>();
  for (const [place, sentence] of sentences.entries()) {
    const candidates = candidatesOf[place] ?? [];
    aliases.push(
      ...declaredAliases(
        sentence,
        candidates.map(({ candidate: each }) => each),
      ),
    );
    for (const { candidate: each, vote } of candidates) {
      const own: CategoryVotes = votes.get(each.form) ?? new Map();
      votes.set(each.form, own);
      vote(own);
      if (each.kind === 'name' && !each.isWeak) names.add(each.form);
    }
  }
  const meaning = meaningOfForms(names, votes, aliases);
  const subjects = new Map<string, Subject>();
  const inSentences = candidatesOf.map((candidates) =>
    candidates.flatMap(({ candidate: each }): SubjectMention[] => {
      const key = meaning.get(each.form) ?? each.form;
      if (each.isWeak && !names.has(each.form) && !meaning.has(each.form)) return [];
      const subject: Subject = subjects.get(key) ?? {
        key,
        kind: each.kind,
        votes: new Map(),
        mentions: [],
        otherForms: new Set(),
      };
      subjects.set(key, subject);
      if (subject.mentions.length < MAX_MENTIONS) subject.mentions.push(each);
      if (each.form !== key) subject.otherForms.add(each.form);
      return [{ candidate: each, subject }];
    }),
  );
  for (const [form, own] of votes) {
    const subject = subjects.get(meaning.get(form) ?? form);
    if (subject)
      for (const [category, weight] of own) subject.votes.set(category, (subject.votes.get(category) ?? 0) + weight);
  }
  return { subjects, inSentences };
}

interface FoundCandidate {
  readonly candidate: MentionCandidate;
  vote(votes: CategoryVotes): void;
}

function findCandidates(sentence: Sentence, place: number, context: GatheringContext): FoundCandidate[] {
  const { tokens, chunkIndex } = sentence;
  const text = context.textOf(chunkIndex);
  if (context.isUnspaced) return findUnspacedCandidates(sentence, place, text);
  const nameContext: NameContext = context;
  const dates = findDates(tokens);
  const names = findNames(sentence, dates, nameContext);
  const terms = findTerms(sentence, [...dates, ...names], context);
  const candidateAt = (span: TokenSpan, kind: MentionCandidate['kind'], isWeak: boolean): MentionCandidate => {
    const start = tokens[span.from]?.start ?? 0;
    const end = tokens[span.to - 1]?.end ?? start;
    const written = text.slice(start, end).replace(/\s+/g, ' ');
    const form = kind === 'term' ? normalTerm(written) : normalForm(written);
    return { from: span.from, to: span.to, kind, sentence: place, start, end, text: written, form, isWeak };
  };
  const found: FoundCandidate[] = [
    ...dates.map((span) => ({
      candidate: candidateAt(span, 'date', false),
      vote: (votes: CategoryVotes) => void votes.set('date', 9),
    })),
    ...names.map((name) => ({
      candidate: candidateAt(name, 'name', name.isWeak),
      vote: (votes: CategoryVotes) => addVotes(votes, tokens, name, context.gazetteer),
    })),
    ...terms.map((span) => ({
      candidate: candidateAt(span, 'term', false),
      vote: (votes: CategoryVotes) => void votes.set('concept', 3),
    })),
  ];
  return found.sort((a, b) => a.candidate.from - b.candidate.from).slice(0, MAX_PER_SENTENCE);
}

function findUnspacedCandidates(
  { start: from, end: to }: Sentence,
  place: number,
  chunkText: string,
): FoundCandidate[] {
  return findUnspaced(chunkText.slice(from, to))
    .slice(0, MAX_PER_SENTENCE)
    .map(({ start, end, kind, category }, order) => {
      const text = chunkText.slice(from + start, from + end);
      // Words are not counted here; a mention's index serves as its position.
      const span = { from: order, to: order + 1 };
      const candidate = {
        ...span,
        kind,
        sentence: place,
        start: from + start,
        end: from + end,
        text,
        form: normalForm(text),
      };
      const vote = (votes: CategoryVotes) => void (category !== null && votes.set(category, 3));
      return { candidate: { ...candidate, isWeak: false }, vote };
    });
}

/**
 * Maps forms that are aliases to the full form: declared acronyms, a last name that only one person has, and a first
 * word with which only one organisation's name begins.
 */
function meaningOfForms(
  names: ReadonlySet<string>,
  votes: ReadonlyMap<string, CategoryVotes>,
  aliases: readonly DeclaredAlias[],
): Map<string, string> {
  const meaning = new Map<string, string>();
  for (const { short, long } of aliases)
    if (short !== long && !meaning.has(short) && !meaning.has(long)) meaning.set(short, long);
  const longer = new Map<string, string[]>();
  for (const form of names) {
    const words = form.split(' ');
    const [first] = words;
    const last = words.at(-1);
    if (words.length < 2 || first === undefined || last === undefined || meaning.has(form)) continue;
    const category = decideCategory(votes.get(form) ?? new Map());
    const add = (short: string) => longer.set(short, [...(longer.get(short) ?? []), form]);
    if (category === 'person' || (category === null && words.length === 2)) add(last);
    if (category === 'organization' || category === null) add(first);
  }
  for (const [short, forms] of longer) {
    const [only] = forms;
    if (only === undefined || forms.length > 1 || !names.has(short) || meaning.has(short)) continue;
    const own = decideCategory(votes.get(short) ?? new Map());
    const others = decideCategory(votes.get(only) ?? new Map());
    if (own === null || own === others) meaning.set(short, only);
  }
  return meaning;
}
