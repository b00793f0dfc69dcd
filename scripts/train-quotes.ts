import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openTestCollection, type TestQuery } from '../src/evaluation/test-collection.ts';
import { answerFeatures } from '../src/models/extractive/confidence.ts';
import { readQuestion } from '../src/models/extractive/question.ts';
import { rankSentences, type SentenceFeatures } from '../src/models/extractive/rank-sentences.ts';
import {
  createAnalyser,
  createSourceFinder,
  halfOf,
  holdsAnswer,
  type QuoteCase,
} from './evaluate-quotes/quote-questions.ts';
import { type Choice, type Example, fitChoices, fitLogistic } from './train-quotes/fit.ts';
import { dot } from './train-quotes/newton.ts';

const USAGE = `Fits the weights of extractive answers (src/models/extractive/weights.ts) to the tuning half of test collections.

  npm exec -- node scripts/train-quotes.ts [--out FILE] FOLDER...

The folders are those of evaluate-quotes.ts; a folder whose name ends with "-en" is also read with its titles, the others
have titles in another language. First a conditional logit over the sentences found for each question; then logistic
regressions of whether the question is answered, with the answering document in place and taken away: with full-text
scores, without, and in corpora of one, two and five documents. The constants
are set so that a fixed share of the questions whose document is away is answered. The result depends on nothing but the folders.`;

const WEIGHTS_FILE = new URL('../src/models/extractive/weights.ts', import.meta.url);
const LIMIT = 10;
const RIDGE = 1;
/** One in this many questions of a folder is used: the folders hold the same questions in other languages. */
const SHARE = 3;
/**
 * Set by hand, because these collections have neither tables nor bare labels: a table row with the requested cell beats
 * prose with the same words, and a label loses to it.
 */
const BY_HAND = { cell: 4, fragment: -1 };
/** Share of the questions that may be answered (wrongly) although their answering document was removed. */
const FALSE_SHARES = { scored: 0.15, unscored: 0.13, few: 0.1 };

type Kind = keyof typeof FALSE_SHARES;
type Situation = Omit<QuoteCase, 'away' | 'hasTitles'> & { readonly kind: Kind };

const BASE = { hasScores: true, limit: LIMIT };
const SITUATIONS: readonly Situation[] = [
  { ...BASE, kind: 'scored', documents: 0 },
  { ...BASE, kind: 'unscored', documents: 0, hasScores: false },
  ...[5, 2, 1].map((documents) => ({ ...BASE, kind: 'few' as const, documents })),
];
/** The answer must be among this many best sentences: one that is right by chance is no positive example. */
const QUOTED = 3;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (positionals.length === 0) throw new Error('Name at least one folder (see --help).');
  const collections = await Promise.all(positionals.map((folder) => openCollection(folder)));
  const ranking = { ...named(fitChoices(collections.flatMap(choicesOf), RIDGE), SENTENCE_FEATURES), ...BY_HAND };
  const confidence = Object.fromEntries(
    Object.keys(FALSE_SHARES).map((kind) => [kind, fitConfidence(collections, kind as Kind, ranking)]),
  );
  await writeFile(values.out ?? WEIGHTS_FILE, asSource(ranking, confidence));
}

type Collection = Awaited<ReturnType<typeof openCollection>>;

async function openCollection(folder: string) {
  const collection = await openTestCollection(folder);
  const isUsed = ({ id, answers }: TestQuery) =>
    answers.length > 0 && halfOf(id) === 'tune' && hashByte(`${collection.name}/${id}`) % SHARE === 0;
  const queries = collection.queries.filter(isUsed);
  const analyser = createAnalyser();
  const sourcesOf = await createSourceFinder(collection);
  const rank = (query: TestQuery, given: QuoteCase, weights?: SentenceFeatures) => {
    const asked = readQuestion(query.text, analyser);
    return {
      asked,
      ranked: rankSentences(asked, { question: query.text, sources: sourcesOf(query, given), analyser }, weights),
    };
  };
  return { queries, rank, titles: collection.name.endsWith('-en') ? [false, true] : [false] };
}

const hashByte = (text: string): number => createHash('sha256').update(text).digest()[0] ?? 0;

const SENTENCE_FEATURES = [
  'words',
  'before',
  'after',
  'source',
  'share',
  'missing',
  'near',
  'support',
  'rank',
  'score',
  'kind',
  'fragment',
  'cell',
];

const named = (weights: readonly number[], names: readonly string[]) =>
  Object.fromEntries(names.map((name, index) => [name, rounded(weights[index] ?? 0)])) as unknown as SentenceFeatures;
const rounded = (value: number) => Math.round(value * 100) / 100;

const valuesOf = (features: object, names: readonly string[]): number[] => {
  const values = new Map<string, number>(Object.entries(features));
  return names.map((name) => values.get(name) ?? 0);
};

/** Each question as a choice among sentences, once from all documents and once from two of them. */
function choicesOf({ queries, rank, titles }: Collection): Choice[] {
  return titles.flatMap((hasTitles) =>
    [0, 2].flatMap((documents) =>
      queries.flatMap((query) => {
        const { candidates } = rank(query, { ...BASE, away: 'nothing', documents, hasTitles }).ranked;
        const isRight = candidates.map(({ text }) => holdsAnswer(text, query));
        if (!isRight.includes(true)) return [];
        return [{ candidates: candidates.map(({ features }) => valuesOf(features, SENTENCE_FEATURES)), isRight }];
      }),
    ),
  );
}

function fitConfidence(collections: readonly Collection[], kind: Kind, ranking: SentenceFeatures) {
  let names: readonly string[] = [];
  const examples = collections.flatMap(({ queries, rank, titles }) =>
    SITUATIONS.filter((situation) => situation.kind === kind).flatMap((situation) =>
      titles.flatMap((hasTitles) =>
        queries.flatMap((query) =>
          (['nothing', 'document'] as const).flatMap((away): Example[] => {
            const { asked, ranked } = rank(query, { ...situation, away, hasTitles }, ranking);
            const isTrue = ranked.candidates.slice(0, QUOTED).some(({ text }) => holdsAnswer(text, query));
            if (ranked.candidates.length === 0 || (away === 'nothing' && !isTrue)) return [];
            const features = answerFeatures(asked, ranked);
            names = Object.keys(features);
            return [{ features: valuesOf(features, names), isTrue: away === 'nothing' }];
          }),
        ),
      ),
    ),
  );
  const weights = kind === 'few' ? fitPlausible(examples, names) : fitLogistic(examples, RIDGE);
  const falseScores = examples
    .filter(({ isTrue }) => !isTrue)
    .map(({ features }) => dot(features, weights))
    .toSorted((a, b) => b - a);
  const border = falseScores[Math.floor(FALSE_SHARES[kind] * falseScores.length)] ?? 0;
  return named([(weights[0] ?? 0) - border, ...weights.slice(1)], names);
}

/** Features that can only count for an answer, and features that can only count against it. */
const FOR = ['best', 'lead', 'words', 'near', 'share', 'kind', 'support', 'mostNear'];
const FOR_BY_SCORES = ['leadOverSecond', 'leadOverFifth', 'leadOverTenth'];
const AGAINST = ['competition', 'missing', 'lacksKind'];

/**
 * Fits the weights for small corpora, which differ most from these collections. Drops features whose weight contradicts
 * their meaning, as happens with correlated features: such weights would not generalise to other texts.
 */
function fitPlausible(examples: readonly Example[], names: readonly string[]): number[] {
  const left = new Set(names.keys());
  for (;;) {
    const kept = [...left];
    const fitted = fitLogistic(
      examples.map(({ features, isTrue }) => ({ features: kept.map((place) => features[place] ?? 0), isTrue })),
      RIDGE,
    );
    const doubtful = kept
      .map((place, index) => ({ place, name: names[place] ?? '', weight: fitted[index] ?? 0 }))
      .filter(({ name, weight }) =>
        [...FOR, ...FOR_BY_SCORES].includes(name) ? weight < 0 : AGAINST.includes(name) && weight > 0,
      )
      .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
    const [worst] = doubtful;
    if (worst === undefined) return names.map((_, place) => fitted[kept.indexOf(place)] ?? 0);
    left.delete(worst.place);
  }
}

function asSource(ranking: object, confidence: Readonly<Record<string, object>>): string {
  const table = (weights: object, indent: string) =>
    Object.entries(weights)
      .map(([name, weight]) => `${indent}${name}: ${weight},\n`)
      .join('');
  return `import type { AnswerFeatures } from './confidence.ts';
import type { SentenceFeatures } from './rank-sentences.ts';

// Written by scripts/train-quotes.ts; docs/quality.md describes the training data and the results.

/** Weights of a conditional logit model over the sentences found for a question. */
export const RANKING_WEIGHTS: SentenceFeatures = {
${table(ranking, '  ')}};

/** Weights of the logistic regressions that predict whether a question is answered. */
export const CONFIDENCE_WEIGHTS: Readonly<Record<'scored' | 'unscored' | 'few', AnswerFeatures>> = {
${Object.entries(confidence)
  .map(([kind, weights]) => `  ${kind}: {\n${table(weights, '    ')}  },\n`)
  .join('')}};
`;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
