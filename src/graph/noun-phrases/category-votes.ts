import type { FoundName } from './find-names.ts';
import type { Gazetteer } from './gazetteer.ts';
import type { Token } from './tokens.ts';
import {
  eventNouns,
  givenNames,
  legalForms,
  organizationNouns,
  personNouns,
  placeNouns,
  productNouns,
  shipPrefixes,
  surnameNouns,
  workNouns,
} from './word-lists.ts';

export type Category = 'person' | 'organization' | 'place' | 'date' | 'work' | 'product' | 'event' | 'concept';

/** Evidence for each category; 1 is a hint, 3 is nearly certain. */
export type CategoryVotes = Map<Category, number>;

const CATEGORY_NOUNS: readonly (readonly [Category, ReadonlySet<string>])[] = [
  ['person', personNouns],
  ['organization', organizationNouns],
  ['place', placeNouns],
  ['event', eventNouns],
  ['work', workNouns],
  ['product', productNouns],
];

/** The category a noun indicates, in the singular or an English plural. */
function categoryOfNoun(lower: string): Category | undefined {
  const found = CATEGORY_NOUNS.find(([, nouns]) => nouns.has(lower));
  return (
    found?.[0] ??
    (lower.endsWith('s') ? CATEGORY_NOUNS.find(([, nouns]) => nouns.has(lower.slice(0, -1)))?.[0] : undefined)
  );
}

const MIN_CERTAIN_VOTE = 1.5;
const MAX_HINT_VOTES = 1.2;

/** Adds the evidence from one mention: from the words of the name, then from those around it. */
export function addVotes(votes: CategoryVotes, tokens: readonly Token[], name: FoundName, gazetteer: Gazetteer): void {
  const vote = (category: Category, weight: number) => {
    const sum = (votes.get(category) ?? 0) + weight;
    // Hints do not add up to certainty: a frequently mentioned thing is often preceded by `in`.
    votes.set(
      category,
      weight >= MIN_CERTAIN_VOTE ? sum : Math.max(votes.get(category) ?? 0, Math.min(sum, MAX_HINT_VOTES)),
    );
  };
  const words = tokens.slice(name.from, name.to).filter(({ kind }) => kind === 'word');
  if (name.hasHonorific) vote('person', 3);
  if (name.isQuoted) vote('work', 2);
  const isPlace = votesOfName(words, gazetteer, vote);
  votesAround(tokens, name, isPlace, vote);
}

type Vote = (category: Category, weight: number) => void;

function votesOfName(words: readonly Token[], gazetteer: Gazetteer, vote: Vote): boolean {
  const lowers = words.map(({ lower }) => lower);
  const [first = ''] = lowers;
  const last = lowers.at(-1) ?? '';
  const isPlace = gazetteer.has(lowers.join(' ')) && !(lowers.length === 1 && givenNames.has(first));
  if (isPlace) vote('place', 4);
  if (shipPrefixes.has(first) && lowers.length > 1 && words[0]?.text === words[0]?.text.toUpperCase())
    vote('product', 5);
  if (lowers.length > 1 && legalForms.has(last)) vote('organization', 5);
  const head = lowers.length > 1 ? (nounOfName(lowers) ?? undefined) : undefined;
  if (head !== undefined) vote(head, 3);
  const isInitials = lowers.length > 1 && /^\p{Lu}\.$/u.test(words[0]?.text ?? '');
  if (lowers.length > 1 && lowers.length <= 4 && (givenNames.has(first) || isInitials) && head === undefined) {
    vote('person', isPlace ? 1 : 2.5);
  }
  return isPlace;
}

/** The category by the head noun: the one before `of` (`Bank of England`), the last, or the first (`Mount Etna`). */
function nounOfName(lowers: readonly string[]): Category | undefined {
  if (lowers.length === 2 && givenNames.has(lowers[0] ?? '') && surnameNouns.has(lowers[1] ?? '')) return undefined;
  const joined = lowers.findIndex((word) => /^(?:of|for|de|del|da|do|di|du|des|für|der|van)$/.test(word));
  const head = joined > 0 ? lowers[joined - 1] : lowers.at(-1);
  const byHead = categoryOfNoun(head ?? '');
  if (byHead !== undefined && byHead !== 'person') return byHead;
  const byFirst = categoryOfNoun(lowers[0] ?? '');
  if (byFirst === 'person' && !lowers.some((word) => givenNames.has(word))) return undefined;
  if (byFirst !== undefined && byFirst !== 'person') return byFirst;
  const inside = lowers.map((word) => categoryOfNoun(word)).find((category) => category === 'organization');
  return inside;
}

const LOCATIVE_PREPOSITIONS = new Set(
  'in at near from to towards around across within outside à en dans aus nach von bei desde hacia'.split(' '),
);
const PERSON_VERBS = new Set(
  (
    'said says wrote writes born died studied studies married thinks argued argues believed graduated retired taught teaches ' +
    'painted composed invented discovered explained resigned emigrated recalled'
  ).split(' '),
);
const ARTICLES = new Set('the a an der die das le la les l el los las un une una ein eine il lo o os'.split(' '));

function votesAround(tokens: readonly Token[], { from, to }: FoundName, isPlace: boolean, vote: Vote): void {
  const before = tokens[from - 1];
  const after = tokens[to];
  if (before?.kind === 'word') {
    if (LOCATIVE_PREPOSITIONS.has(before.lower) && !isPlace) vote('place', 0.8);
    // `the physicist Marie Curie`, `the company Acme`, `the city of Ghent`
    const described = before.lower === 'of' ? tokens[from - 2] : before;
    const category = described && !described.isCapital ? categoryOfNoun(described.lower) : undefined;
    if (category !== undefined && (described === before || category === 'place'))
      vote(category, category === 'place' && described === before ? 1 : 2.5);
  }
  if (after?.kind === 'word' && !after.isCapital) {
    const verb = /^(?:was|is|has|had)$/.test(after.lower) ? tokens[to + 1]?.lower : after.lower;
    if (verb !== undefined && PERSON_VERBS.has(verb)) vote('person', verb === 'born' || verb === 'died' ? 2 : 1);
    if (/^(?:who|whose)$/.test(after.lower)) vote('person', 1.5);
  }
  if (after?.text === ',' && /^(?:who|whose)$/.test(tokens[to + 1]?.lower ?? '')) vote('person', 2);
  const description = describedAs(tokens, to);
  if (description !== undefined) vote(description, 3);
}

/** `X is a … river`, `X, the … company`: the head noun of the following phrase. */
function describedAs(tokens: readonly Token[], to: number): Category | undefined {
  let at = to;
  const opening = tokens[at];
  const isCopula = /^(?:is|was|are|were|ist|war|est|était|fut|es|era|fue|è|é|foi)$/.test(opening?.lower ?? '');
  if (!isCopula && opening?.text !== ',') return undefined;
  at++;
  const article = tokens[at];
  const isIndefinite = article !== undefined && ARTICLES.has(article.lower.replace(/['’]$/, ''));
  if (!isIndefinite) return undefined;
  let found: Category | undefined;
  for (let place = at + 1; place < Math.min(tokens.length, at + 8); place++) {
    const token = tokens[place];
    if (token === undefined || token.kind === 'mark') break;
    if (
      /^(?:of|in|on|at|for|from|by|with|that|which|who|and|or|to|der|des|von|de|d|du|qui|que|in|und|et|y)$/.test(
        token.lower,
      )
    )
      break;
    const category = categoryOfNoun(token.lower);
    if (category !== undefined) found = category;
  }
  return found;
}

/** The category with the most votes; null if it is only a hint or does not lead clearly. */
export function decideCategory(votes: CategoryVotes): Category | null {
  const [best, second] = [...votes].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  if (best === undefined || best[1] < MIN_CERTAIN_VOTE || (second !== undefined && second[1] > best[1] * 0.85))
    return null;
  return best[0];
}
