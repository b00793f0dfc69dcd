import { offices, predicateOfVerb, predicateWith } from './relation-words.ts';
import type { Token } from './tokens.ts';

/** The relation expressed by the words between two mentions of an English sentence. */
export interface RelationPhrase {
  readonly predicate: string;
  /** The second mention is the agent or holder. */
  readonly isReversed: boolean;
  /** The sentence's earlier subject is meant, not the first of the two. */
  readonly isInherited: boolean;
  /** Whether the relation is stated of the verb's subject; otherwise of the phrase directly before. */
  readonly isOfSubject?: boolean;
  /** The verb, to which further objects may be attached: `born in Ulm in 1879`. */
  readonly verb?: string;
  /** The verb is passive and its agent may follow: `founded in 1990 by Anna Berg`. */
  readonly isPassive?: boolean;
}

const BE = new Set('is was are were be been being am'.split(' '));
const UNCERTAIN_WORDS = new Set(
  "not n't never may might could would should if whether unless cannot without neither nor no".split(' '),
);
const PRONOUNS = new Set('he she it they who which that'.split(' '));
const OTHER_SUBJECTS = new Set('i we you his her their its there this these those him them what'.split(' '));
const KINSHIP_NOUNS = new Set(
  'daughter son wife husband sister brother mother father widow niece nephew uncle aunt'.split(' '),
);
const PREPOSITIONS = new Set(
  'in at on near of for by from to with into between against under over through across within around during after before as about'.split(
    ' ',
  ),
);
const MAX_GAP = 16;

/** Interprets the tokens between two mentions; undefined if no relation is recognised reliably. */
export function readGap(gap: readonly Token[]): RelationPhrase | undefined {
  if (
    gap.length === 0 ||
    gap.length > MAX_GAP ||
    gap.some(({ lower }) => UNCERTAIN_WORDS.has(lower) || lower.endsWith("n't"))
  )
    return undefined;
  if (!hasVerb(gap)) return possessive(gap) ?? nounLink(gap);
  const isRelative = /^(?:who|which|that)$/.test(gap[0]?.lower ?? '') || gap[0]?.text === ',';
  const found = possessive(gap) ?? verbLink(gap);
  return found && { ...found, isOfSubject: !isRelative && !found.isInherited };
}

const link = (predicate: string, rest: Partial<RelationPhrase> = {}): RelationPhrase => ({
  predicate,
  isReversed: false,
  isInherited: false,
  ...rest,
});
const hasVerb = (gap: readonly Token[]): boolean => gap.some(({ tag, lower }) => tag === 'verb' || BE.has(lower));

/** `Acme's president`, `Norway's capital`. */
function possessive(gap: readonly Token[]): RelationPhrase | undefined {
  if (!/^['’]s?$/.test(gap[0]?.text ?? '') || gap.length < 2) return undefined;
  const words = gap.slice(1);
  const head = words.at(-1)?.text === ',' ? words.at(-2) : words.at(-1);
  if (head === undefined || words.some(({ tag }) => tag === 'verb' || tag === 'auxiliary')) return undefined;
  if (offices.has(head.lower)) return link('works_for', { isReversed: true });
  if (KINSHIP_NOUNS.has(head.lower) || head.lower === 'capital') return link(`${head.lower}_of`, { isReversed: true });
  return undefined;
}

/** `, president of`, `, the capital of`, `(a subsidiary of`. */
function nounLink(gap: readonly Token[]): RelationPhrase | undefined {
  const [first] = gap;
  if (first === undefined || !/^[,(]$/.test(first.text)) return undefined;
  return ofNoun(gap.slice(1));
}

const OFFICE_PREDICATES: ReadonlyMap<string, string> = new Map([
  ['member', 'part_of'],
  ['founder', 'founded'],
  ['co-founder', 'founded'],
]);
const NOUN_PREDICATES: ReadonlyMap<string, string> = new Map([
  ['author', 'wrote'],
  ['inventor', 'invented'],
  ['owner', 'owns'],
]);

function ofNoun(words: readonly Token[]): RelationPhrase | undefined {
  const plain = words.at(-1)?.tag === 'determiner' || words.at(-1)?.lower === 'the' ? words.slice(0, -1) : words;
  const preposition = plain.at(-1);
  const head = plain.at(-2);
  if (preposition === undefined || head === undefined || plain.some(({ kind }) => kind === 'mark')) return undefined;
  if (!/^(?:of|at|for|in|from|on)$/.test(preposition.lower)) return undefined;
  if (plain.slice(0, -2).some(({ lower }) => PREPOSITIONS.has(lower))) return undefined;
  if (offices.has(head.lower) && /^(?:of|at|for)$/.test(preposition.lower)) {
    return link(OFFICE_PREDICATES.get(head.lower) ?? 'works_for');
  }
  if (/^(?:part|subsidiary|division|branch|member|suburb|district)$/.test(head.lower)) return link('part_of');
  if (
    preposition.lower === 'of' &&
    (KINSHIP_NOUNS.has(head.lower) || /^(?:capital|student|author|inventor|owner|founder)$/.test(head.lower))
  ) {
    return link(NOUN_PREDICATES.get(head.lower) ?? `${head.lower}_of`);
  }
  const isHead = head.tag === 'noun' || head.tag === 'name';
  return isHead && /^(?:in|on)$/.test(preposition.lower) ? link('located_in') : undefined;
}

function verbLink(full: readonly Token[]): RelationPhrase | undefined {
  const { gap, isInherited } = withoutOpening(full);
  const verbAt = gap.findLastIndex(({ tag, lower }) => tag === 'verb' && !BE.has(lower));
  if (verbAt === -1) return copula(gap, isInherited);
  const before = gap.slice(0, verbAt);
  if (before.some((token) => !isSmall(token) || OTHER_SUBJECTS.has(token.lower))) return undefined;
  const verb = gap[verbAt];
  const after = gap.slice(verbAt + 1).filter(({ tag, lower }) => tag !== 'adverb' || PREPOSITIONS.has(lower));
  if (verb === undefined) return undefined;
  // `acids containing …` expresses a time or manner: only `is buying` and `and moving to` are used.
  if (verb.lower.endsWith('ing') && !isInherited && !before.some(({ lower }) => BE.has(lower))) return undefined;
  const isPassive = before.some(({ lower }) => BE.has(lower));
  const isParticiple = isPassive || (before.length === 0 && /(?:ed|en|wn|lt|de|ght|ld|un|om)$/.test(verb.lower));
  if (isParticiple && after.some(({ lower }) => lower === 'by') && endsAtObject(after, 'by')) {
    return link(predicateOfVerb(verb.lower), { isReversed: true, isInherited, verb: verb.lower });
  }
  const office = ofNoun(after);
  if (office !== undefined && after.some(({ lower }) => offices.has(lower))) return { ...office, isInherited };
  const preposition = after.find(({ lower }) => PREPOSITIONS.has(lower));
  if (preposition === undefined) {
    if (isPassive || after.some(({ kind }) => kind === 'mark')) return undefined;
    return link(predicateOfVerb(verb.lower), { isInherited });
  }
  if (after.indexOf(preposition) > 0 || !endsAtObject(after, preposition.lower)) return undefined;
  return link(predicateWith(verb.lower, preposition.lower), { isInherited, verb: verb.lower, isPassive: isParticiple });
}

/** `is a`: the second is the kind of the first; `is the capital of`, `was president of`. */
function copula(gap: readonly Token[], isInherited: boolean): RelationPhrase | undefined {
  const at = gap.findIndex(({ lower }) => BE.has(lower));
  if (at === -1) return undefined;
  if (gap.slice(0, at).some((token) => !isSmall(token) || OTHER_SUBJECTS.has(token.lower))) return undefined;
  const words = gap.slice(at + 1).filter(({ tag }) => tag !== 'adverb');
  const office = ofNoun(words);
  if (office !== undefined) return { ...office, isInherited };
  if (words.length === 1 && /^(?:in|on|near|at)$/.test(words[0]?.lower ?? ''))
    return link('located_in', { isInherited });
  const [article, ...rest] = words;
  const isKind = article !== undefined && /^(?:a|an|the|one)$/.test(article.lower);
  const isPlain = rest.every(
    (token) => token.kind === 'word' && !PREPOSITIONS.has(token.lower) && token.tag !== 'noun' && token.tag !== 'verb',
  );
  return isKind && isPlain ? link('is_a', { isInherited }) : undefined;
}

/** Removes an initial parenthesis, insertion, `which`, `and`, `where he`; the last two refer to the earlier subject. */
function withoutOpening(full: readonly Token[]): { readonly gap: readonly Token[]; readonly isInherited: boolean } {
  let gap = full;
  const [first] = gap;
  if (first?.text === '(') {
    const close = gap.findIndex(({ text }) => text === ')');
    if (close > 0) gap = gap.slice(close + 1);
  }
  if (gap[0]?.text === ',') {
    const close = gap.findLastIndex(({ text }) => text === ',');
    // More than an apposition between the commas: another clause, possibly with its own subject.
    if (gap.slice(0, close).some(({ tag }) => tag === 'verb')) return { gap: [], isInherited: false };
    gap = gap.slice(close + 1);
    // `, who founded` refers to the first mention; `, and founded` and `, founding` to the subject.
    if (/^(?:who|which|that)$/.test(gap[0]?.lower ?? '')) return { gap: gap.slice(1), isInherited: false };
    if (close === 0 && gap[0]?.tag === 'verb') return { gap, isInherited: /ing$/.test(gap[0].lower) };
    // The comma ends an insertion after the subject.
    if (close === 0 && (gap[0]?.tag === 'auxiliary' || BE.has(gap[0]?.lower ?? ''))) return { gap, isInherited: true };
    if (gap[0]?.tag === 'determiner') return { gap: fromParticiple(gap), isInherited: false };
  }
  if (BE.has(gap[0]?.lower ?? '') && gap[1]?.tag === 'determiner') {
    const rest = fromParticiple(gap.slice(1));
    if (rest.length < gap.length - 1) return { gap: rest, isInherited: false };
  }
  let isInherited = false;
  while (
    gap.length > 0 &&
    /^(?:and|but|then|later|where|when|while|before|after|until|also|he|she)$/.test(gap[0]?.lower ?? '')
  ) {
    if (gap[0]?.lower !== 'later' && gap[0]?.lower !== 'also') isInherited = true;
    gap = gap.slice(1);
  }
  if (!isInherited && PRONOUNS.has(gap[0]?.lower ?? '')) gap = gap.slice(1);
  return { gap, isInherited };
}

/** Reduces `a freight company based in` to `based in`, and `a hormone produced by` to `produced by`. */
function fromParticiple(gap: readonly Token[]): readonly Token[] {
  const at = gap.findIndex(({ tag }, place) => tag === 'verb' && place > 0);
  const isPlain = gap
    .slice(0, Math.max(0, at))
    .every(({ kind, lower }) => kind === 'word' && !PREPOSITIONS.has(lower) && !PRONOUNS.has(lower));
  return at > 0 && isPlain && PREPOSITIONS.has(gap[at + 1]?.lower ?? '') ? gap.slice(at) : gap;
}

const isSmall = ({ tag, lower, kind }: Token): boolean =>
  kind === 'word' &&
  (tag === 'auxiliary' || tag === 'adverb' || lower === 'to' || BE.has(lower) || lower === 'later' || tag === 'verb');

/** Only an article, adjectives and nouns may stand between the preposition and its object. */
function endsAtObject(after: readonly Token[], preposition: string): boolean {
  const at = after.findIndex(({ lower }) => lower === preposition);
  return after
    .slice(at + 1)
    .every(
      ({ kind, lower, tag }) =>
        kind === 'word' && !PREPOSITIONS.has(lower) && tag !== 'verb' && !OTHER_SUBJECTS.has(lower) && lower !== 'and',
    );
}
