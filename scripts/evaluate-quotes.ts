import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openTestCollection, type TestCollection, type TestDocument } from '../src/evaluation/test-collection.ts';
import { chooseQuotes } from '../src/models/extractive/choose-quotes.ts';
import { analyse, analyseQuery } from '../src/store/full-text/analyse.ts';
import { createDocumentSearch } from './evaluate-quotes/document-search.ts';

const USAGE = `Measures extractive answers, which need no language model.

  node scripts/evaluate-quotes.ts FOLDER... [--half tune|held|both] [--titles] [--limit N] [--documents N] [--misses]

Each folder holds corpus.jsonl, queries.jsonl with an "answer" for each question, and qrels.tsv. A question is asked
three times: of all documents, without the answering one, and without its article (all documents of the same title). In
the last two cases every quoted answer is wrong. The questions are split in halves by a hash of their identifier:
constants are tuned on "tune", and "held" (the default) is reported.
--titles uses the titles of the documents; omit it when titles are in another language.
--no-scores omits the full-text score of each passage, as for web pages.
--documents asks each question of this many documents only: the answering one and others of its article; in the cases
without the answering one, of as many others.
--misses prints the questions whose answer was not quoted.`;

interface Options {
  readonly half: string;
  readonly hasTitles: boolean;
  readonly hasScores: boolean;
  readonly limit: number;
  /** Size of the corpus each question is asked of; 0 is all there are. */
  readonly documents: number;
  readonly showsMisses: boolean;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      half: { type: 'string', default: 'held' },
      titles: { type: 'boolean', default: false },
      'no-scores': { type: 'boolean', default: false },
      limit: { type: 'string', default: '10' },
      documents: { type: 'string', default: '0' },
      misses: { type: 'boolean', default: false },
    },
  });
  if (positionals.length === 0) {
    console.log(USAGE);
    return;
  }
  const options = {
    half: values.half,
    hasTitles: values.titles,
    hasScores: !values['no-scores'],
    limit: Number(values.limit),
    documents: Number(values.documents),
    showsMisses: values.misses,
  };
  console.log(
    '| collection | questions | answered | answer holds it | closest passages hold it | false, document away | false, article away | quotes | characters |\n' +
      '|---|---|---|---|---|---|---|---|---|',
  );
  for (const folder of positionals) console.log(await measure(await openTestCollection(folder), options));
}

async function measure(collection: TestCollection, options: Options): Promise<string> {
  const documents = await Array.fromAsync(collection.documents());
  const titles = new Map(documents.map(({ id, title }) => [id, title]));
  const searches = new Map([['', createDocumentSearch(documents)]]);
  const analyser = { analyse: remembering(analyse), analyseQuery: remembering(analyseQuery) };
  const ask = (
    question: string,
    isLeftOut: (document: TestDocument) => boolean,
    gains: ReadonlyMap<string, number>,
  ) => {
    const few = options.documents === 0 ? undefined : fewOf(documents, gains, isLeftOut, options.documents);
    const key = few?.map(({ id }) => id).join('\n') ?? '';
    const search = searches.get(key) ?? createDocumentSearch(few ?? documents);
    searches.set(key, search);
    const found = search(question, options.limit, isLeftOut);
    const sources = found.map(({ document: { text, title }, score }) => {
      return { text, about: options.hasTitles ? title : '', ...(options.hasScores && { score }) };
    });
    const { support, quotes } = chooseQuotes({ question, sources, analyser });
    return {
      support,
      quotes: quotes.map(({ sourceIndex, start, end }) => sources[sourceIndex]?.text.slice(start, end) ?? ''),
    };
  };

  const queries = collection.queries.filter(
    ({ id, answers }) => answers.length > 0 && (options.half === 'both' || halfOf(id) === options.half),
  );
  const count = { answered: 0, right: 0, closest: 0, wrongNear: 0, wrongFar: 0, quotes: 0, characters: 0 };
  for (const { text, gains, answers } of queries) {
    const { support, quotes } = ask(text, () => false, gains);
    const isAnswer = support === 'answer';
    const isRight = quotes.some((quote) => answers.some((answer) => plain(quote).includes(plain(answer))));
    if (isAnswer) count.answered += 1;
    if (isRight && isAnswer) count.right += 1;
    if (isRight && support === 'closest') count.closest += 1;
    if (!isRight && options.showsMisses)
      console.log(`${text}\n  wanted: ${answers.join(' / ')}\n  ${quotes.join('\n  ')}\n`);
    if (isAnswer) count.quotes += quotes.length;
    if (isAnswer) count.characters += quotes.join('').length;
    const articles = new Set([...gains.keys()].map((id) => titles.get(id)).filter((title) => title !== ''));
    if (ask(text, ({ id }) => gains.has(id), gains).support === 'answer') count.wrongNear += 1;
    const isOfArticle = ({ id, title }: TestDocument) => gains.has(id) || articles.has(title);
    if (options.documents === 0 && ask(text, isOfArticle, gains).support === 'answer') count.wrongFar += 1;
  }
  const share = (part: number) => (part / Math.max(1, queries.length)).toFixed(3);
  const perAnswer = (sum: number, digits: number) => (sum / Math.max(1, count.answered)).toFixed(digits);
  return `| ${[
    ...[collection.name, queries.length, share(count.answered), share(count.right), share(count.closest)],
    ...[share(count.wrongNear), share(count.wrongFar)],
    ...[perAnswer(count.quotes, 2), perAnswer(count.characters, 0)],
  ].join(' | ')} |`;
}

/** A small corpus for one question, out of the article of the document that answers it. */
function fewOf(
  documents: readonly TestDocument[],
  gains: ReadonlyMap<string, number>,
  isLeftOut: (document: TestDocument) => boolean,
  size: number,
): readonly TestDocument[] {
  const answering = documents.find(({ id }) => gains.has(id));
  const others = documents.filter(({ id, title }) => !gains.has(id) && title === answering?.title);
  const given = answering === undefined || isLeftOut(answering) ? others : [answering, ...others];
  return given.slice(0, size);
}

const halfOf = (id: string): 'tune' | 'held' =>
  ((createHash('sha256').update(id).digest()[0] ?? 0) & 1) === 0 ? 'tune' : 'held';

const plain = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** The same texts are read for many questions. */
function remembering(read: (text: string) => readonly string[]): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const terms = known.get(text) ?? read(text);
    known.set(text, terms);
    return terms;
  };
}

await main();
