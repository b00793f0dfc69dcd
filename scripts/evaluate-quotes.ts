import { parseArgs } from 'node:util';
import { openTestCollection, type TestCollection } from '../src/evaluation/test-collection.ts';
import { chooseQuotes } from '../src/models/extractive/choose-quotes.ts';
import {
  type Away,
  createAnalyser,
  createSourceFinder,
  halfOf,
  holdsAnswer,
} from './evaluate-quotes/quote-questions.ts';

const USAGE = `Measures extractive answers, which need no language model.

  npm exec -- node scripts/evaluate-quotes.ts [options] FOLDER...

Each folder holds corpus.jsonl, queries.jsonl with an "answer" for each question, and qrels.tsv. A question is asked
three times: of all documents, without the answering one, and without its article (all documents of the same title). In
the last two cases every quoted answer is wrong. The questions are split in halves by a hash of their identifier:
constants are tuned on "tune", and "held" (the default) is reported.

  --half HALF      tune, held or both
  --titles         use the titles of the documents; omit it when titles are in another language
  --no-scores      omit the full-text score of each passage, as for web pages
  --limit N        passages found per question; default 10
  --documents N    ask each question of this many documents only: the answering one and others of its article; in the
                   cases without the answering one, of as many others
  --misses         print the questions whose answer was not quoted`;

interface Options {
  readonly folders: readonly string[];
  readonly half: string;
  readonly hasTitles: boolean;
  readonly hasScores: boolean;
  readonly limit: number;
  /** Number of documents in the corpus for each question; 0 means all. */
  readonly documents: number;
  readonly showsMisses: boolean;
}

const HALVES: readonly string[] = ['tune', 'held', 'both'];

/** Reads the command line; undefined if it asks for help. Throws an Error with a message for the user. */
function readOptions(): Options | undefined {
  const { values, positionals: folders } = parseArgs({
    allowPositionals: true,
    options: {
      half: { type: 'string', default: 'held' },
      titles: { type: 'boolean', default: false },
      'no-scores': { type: 'boolean', default: false },
      limit: { type: 'string', default: '10' },
      documents: { type: 'string', default: '0' },
      misses: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (folders.length === 0) throw new Error('Name at least one folder (see --help).');
  if (!HALVES.includes(values.half)) throw new Error(`--half is one of ${HALVES.join(', ')}.`);
  const wholeNumber = (name: string, value: string, min: number) => {
    if (!/^\d{1,9}$/.test(value) || Number(value) < min)
      throw new Error(`${name} is a whole number from ${min} on, not "${value}".`);
    return Number(value);
  };
  return {
    folders,
    half: values.half,
    hasTitles: values.titles,
    hasScores: !values['no-scores'],
    limit: wholeNumber('--limit', values.limit, 1),
    documents: wholeNumber('--documents', values.documents, 0),
    showsMisses: values.misses,
  };
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) {
    console.log(USAGE);
    return;
  }
  console.log(
    '| collection | questions | answered | answer holds it | closest passages hold it | false, document away | false, article away | quotes | characters |\n' +
      '|---|---|---|---|---|---|---|---|---|',
  );
  for (const folder of options.folders) console.log(await measure(await openTestCollection(folder), options));
}

async function measure(collection: TestCollection, options: Options): Promise<string> {
  const sourcesOf = await createSourceFinder(collection);
  const analyser = createAnalyser();
  const queries = collection.queries.filter(
    ({ id, answers }) => answers.length > 0 && (options.half === 'both' || halfOf(id) === options.half),
  );
  const count = { answered: 0, right: 0, closest: 0, wrongNear: 0, wrongFar: 0, quotes: 0, characters: 0 };
  for (const query of queries) {
    const ask = (away: Away) => {
      const sources = sourcesOf(query, { ...options, away });
      const { support, quotes } = chooseQuotes({ question: query.text, sources, analyser });
      return {
        support,
        quotes: quotes.map(({ sourceIndex, start, end }) => sources[sourceIndex]?.text.slice(start, end) ?? ''),
      };
    };
    const { support, quotes } = ask('nothing');
    const isAnswer = support === 'answer';
    const isRight = quotes.some((quote) => holdsAnswer(quote, query));
    if (isAnswer) count.answered += 1;
    if (isRight && isAnswer) count.right += 1;
    if (isRight && support === 'closest') count.closest += 1;
    if (!isRight && options.showsMisses)
      console.log(`${query.text}\n  wanted: ${query.answers.join(' / ')}\n  ${quotes.join('\n  ')}\n`);
    if (isAnswer) count.quotes += quotes.length;
    if (isAnswer) count.characters += quotes.join('').length;
    if (ask('document').support === 'answer') count.wrongNear += 1;
    if (options.documents === 0 && ask('article').support === 'answer') count.wrongFar += 1;
  }
  const share = (part: number) => (part / Math.max(1, queries.length)).toFixed(3);
  const perAnswer = (sum: number, digits: number) => (sum / Math.max(1, count.answered)).toFixed(digits);
  return `| ${[
    collection.name,
    queries.length,
    share(count.answered),
    share(count.right),
    share(count.closest),
    share(count.wrongNear),
    share(count.wrongFar),
    perAnswer(count.quotes, 2),
    perAnswer(count.characters, 0),
  ].join(' | ')} |`;
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
