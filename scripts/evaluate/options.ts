import { parseArgs } from 'node:util';
import { isScoreName, type ScoreName, scoreNames } from '../../src/evaluation/scores.ts';
import { splitList } from '../../src/shared/text.ts';
import { type Mode, modes } from './ask-queries.ts';
import { type Store, stores } from './stores.ts';

export const USAGE = `Measures search on test collections: starts a separate service, ingests the documents and searches over HTTP.

  npm exec -- node scripts/evaluate.ts [options] FOLDER...

Each folder holds corpus.jsonl (_id or id, title, text), queries.jsonl (_id or id, text) and qrels.tsv. Documents are
ranked by their best passage.

  --embedder NAMES      auto (what the service chooses by itself; the default), hash, lsa, static, or <provider>/<model>
  --modes NAMES         ${modes.join(', ')}; default all but the last
  --limit N             documents ranked per query, 1 to 300; default 100
  --queries N           only the first N queries of each
  --among N             search with a filter: each query only its relevant documents and N others, chosen at random
  --typing-errors       with one wrong letter in each query
  --no-titles PREFIX    omit the titles in folders whose name starts with PREFIX (repeatable)
  --whole               each document as one passage instead of split
  --graph               extract the graph too, and search it
  --data FOLDER         store ingested data there, and reuse it
  --database URL        keep the records on this PostgreSQL server, in a database made for each corpus; it is dropped
                        at the end unless --data is given
  --stores NAMES        sqlite, postgres (with Chroma), pgvector (PostgreSQL with pgvector); default sqlite, or postgres
                        with --database. Several are compared in a table, and the exit code is 1 when a mean differs
                        in its first three decimals: use --at-once 1 then. Copies of a text are ranked in the order
                        in which they were stored
  --at-once N           documents uploaded at a time, 1 to 8; default 8. With 1 two runs store them in the same order
  --json FILE           write the results of every query as JSON
  --against FILE        compare with a file written by --json
  --fail-on-loss NAMES  exit with 1 when one of these is significantly (p < 0.05) worse than in --against
  --fail-below NAME=N   exit with 1 when the mean of a collection is below (repeatable)
  --markdown            print Markdown tables

Names of measures: ndcg@10, mrr@10, hit@1, hit@3, hit@10, recall@10, recall@100.`;

export interface EvaluateOptions {
  readonly folders: readonly string[];
  readonly embedders: readonly string[];
  readonly modes: readonly Mode[];
  readonly limit: number;
  readonly queries: number;
  /** Number of documents besides the relevant ones that each query may find; undefined for all. */
  readonly among: number | undefined;
  readonly hasTypingErrors: boolean;
  readonly withoutTitles: readonly string[];
  readonly isWhole: boolean;
  readonly isGraphOn: boolean;
  readonly data: string | undefined;
  /** URL of any database of the PostgreSQL server that stores the records. */
  readonly database: string | undefined;
  readonly stores: readonly Store[];
  readonly atOnce: number;
  readonly json: string | undefined;
  readonly against: string | undefined;
  readonly failOnLoss: readonly ScoreName[];
  readonly failBelow: readonly { readonly score: ScoreName; readonly least: number }[];
  readonly isMarkdown: boolean;
}

const options = {
  embedder: { type: 'string', default: 'auto' },
  modes: { type: 'string', default: 'full_text,semantic,hybrid,default' },
  limit: { type: 'string', default: '100' },
  queries: { type: 'string' },
  among: { type: 'string' },
  'typing-errors': { type: 'boolean', default: false },
  'no-titles': { type: 'string', multiple: true },
  whole: { type: 'boolean', default: false },
  graph: { type: 'boolean', default: false },
  data: { type: 'string' },
  database: { type: 'string' },
  stores: { type: 'string' },
  'at-once': { type: 'string', default: '8' },
  json: { type: 'string' },
  against: { type: 'string' },
  'fail-on-loss': { type: 'string' },
  'fail-below': { type: 'string', multiple: true },
  markdown: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Parses the command line; undefined if it asks for help. Throws an Error with a message for the user. */
export function readOptions(args: readonly string[]): EvaluateOptions | undefined {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (values.help) return undefined;
  if (positionals.length === 0) throw new Error('Name at least one folder (see --help).');
  const failOnLoss = split(values['fail-on-loss']).map(scoreName);
  if (failOnLoss.length > 0 && values.against === undefined) throw new Error('--fail-on-loss needs --against.');
  return {
    folders: positionals,
    embedders: split(values.embedder),
    modes: split(values.modes).map(modeName),
    limit: wholeNumber('--limit', values.limit, 300),
    queries: values.queries === undefined ? Number.POSITIVE_INFINITY : wholeNumber('--queries', values.queries, 1e9),
    among: values.among === undefined ? undefined : wholeNumber('--among', values.among, 1e4),
    hasTypingErrors: values['typing-errors'],
    withoutTitles: values['no-titles'] ?? [],
    isWhole: values.whole,
    isGraphOn: values.graph,
    data: values.data,
    database: values.database,
    stores: readStores(values.stores, values.database),
    atOnce: wholeNumber('--at-once', values['at-once'], 8),
    json: values.json,
    against: values.against,
    failOnLoss,
    failBelow: (values['fail-below'] ?? []).map(readBound),
    isMarkdown: values.markdown,
  };
}

const split = (list: string | undefined): string[] => splitList(list ?? '');

function readStores(list: string | undefined, database: string | undefined): readonly Store[] {
  const named = split(list ?? (database === undefined ? 'sqlite' : 'postgres'));
  const read = stores.filter((store) => named.includes(store));
  const unknown = named.find((name) => !stores.some((store) => store === name));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no store; choose from ${stores.join(', ')}.`);
  if (read.length === 0) throw new Error(`--stores needs one of ${stores.join(', ')}.`);
  const needing = read.find((store) => store !== 'sqlite');
  if (needing !== undefined && database === undefined) {
    throw new Error(`--stores ${needing} needs --database, the URL of a PostgreSQL server.`);
  }
  return read;
}

function modeName(name: string): Mode {
  const found = modes.find((mode) => mode === name);
  if (found !== undefined) return found;
  throw new Error(`"${name}" is no search mode; choose from ${modes.join(', ')}.`);
}

function scoreName(name: string): ScoreName {
  if (isScoreName(name)) return name;
  throw new Error(`"${name}" is no measure; choose from ${scoreNames.slice(0, 7).join(', ')}.`);
}

function wholeNumber(option: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new Error(`${option} must be a whole number from 1 to ${max}.`);
}

function readBound(text: string): { score: ScoreName; least: number } {
  const [name = '', least = ''] = text.split('=');
  const bound = Number(least);
  if (least.trim() === '' || !(bound >= 0 && bound <= 1)) {
    throw new Error(`--fail-below takes a measure and a number from 0 to 1, such as ndcg@10=0.5; not "${text}".`);
  }
  return { score: scoreName(name), least: bound };
}
