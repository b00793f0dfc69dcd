import { createHash, type Hash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { explainIssue } from '../shared/explain-issue.ts';
import { Problems, parseLine } from './problems.ts';
import { type Line, readLines } from './read-lines.ts';

export interface TestDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface TestQuery {
  readonly id: string;
  readonly text: string;
  /** Document → relevance grade; at least one is relevant. */
  readonly gains: ReadonlyMap<string, number>;
  /** Alternative correct answers, verbatim; empty if unknown. */
  readonly answers: readonly string[];
}

/** A test collection: documents, queries, and relevance judgements. */
export interface TestCollection {
  readonly name: string;
  readonly documentCount: number;
  /** Hash of the corpus, which identifies its version. */
  readonly corpusHash: string;
  readonly queries: readonly TestQuery[];
  /** Remarks for users: what was left out, and why. */
  readonly notes: readonly string[];
  /** Read from the file each time, because a corpus may be larger than memory. */
  documents(): AsyncGenerator<TestDocument, void>;
}

// BEIR's own files use `_id`, many others `id`; numbers are accepted.
const identifier = z.union([z.string().min(1), z.number().transform(String)]);
const withId = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess(
    (line) => (typeof line === 'object' && line !== null && '_id' in line ? { id: line._id, ...line } : line),
    z.object({ id: identifier, ...shape }),
  );
const documentLine = withId({ title: z.string().nullish(), text: z.string().nullish() });
const queryLine = withId({
  text: z.string().trim().min(1),
  answer: z.preprocess(
    (answer) => (typeof answer === 'string' ? [answer] : (answer ?? [])),
    z.array(z.string().trim().min(1)),
  ),
});

/**
 * Opens a folder in BEIR format: `corpus.jsonl` (`_id` or `id`, title, text), `queries.jsonl` (`_id` or `id`, text, and
 * optionally `answer`, one or a list) and `qrels.tsv` or `qrels/test.tsv` (query id, document id, score; with or
 * without a header). Queries without a relevant document are left out. Throws `invalid_request` listing every invalid
 * line.
 */
export async function openTestCollection(folder: string): Promise<TestCollection> {
  const path = resolve(folder);
  const corpusFile = join(path, 'corpus.jsonl');
  const hash = createHash('sha256');
  const ids = await readCorpus(corpusFile, hash);
  const texts = await readQueries(join(path, 'queries.jsonl'));
  const judgements = await readJudgements(await judgementsFile(path));
  const queries = [...texts].flatMap(([id, { text, answer }]): TestQuery[] => {
    const gains = judgements.get(id) ?? new Map<string, number>();
    return [...gains.values()].some((gain) => gain > 0) ? [{ id, text, gains, answers: answer }] : [];
  });
  return {
    name: basename(path),
    documentCount: ids.size,
    corpusHash: hash.digest('hex'),
    queries,
    notes: notesOn({ ids, texts, judgements, queries }),
    async *documents() {
      for await (const line of readLines(corpusFile)) yield toDocument(documentLine.parse(JSON.parse(line.text)));
    },
  };
}

type QueryLine = z.output<typeof queryLine>;

const toDocument = ({ id, title, text }: z.output<typeof documentLine>): TestDocument => ({
  id,
  title: title ?? '',
  text: text ?? '',
});

async function readCorpus(file: string, hash: Hash): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const problems = new Problems(file);
  for await (const line of readLines(file)) {
    const read = readAs(documentLine, line, problems);
    if (read === undefined) continue;
    if (ids.has(read.id)) problems.add(line.number, `"${read.id}" is the identifier of an earlier document.`);
    ids.add(read.id);
    hash.update(JSON.stringify(toDocument(read)));
  }
  problems.throwIfAny();
  return ids;
}

async function readQueries(file: string): Promise<ReadonlyMap<string, QueryLine>> {
  const texts = new Map<string, QueryLine>();
  const problems = new Problems(file);
  for await (const line of readLines(file)) {
    const read = readAs(queryLine, line, problems);
    if (read === undefined) continue;
    if (texts.has(read.id)) problems.add(line.number, `"${read.id}" is the identifier of an earlier query.`);
    texts.set(read.id, read);
  }
  problems.throwIfAny();
  return texts;
}

function readAs<Schema extends z.ZodType>(
  schema: Schema,
  { number, text }: Line,
  problems: Problems,
): z.output<Schema> | undefined {
  const parsed = parseLine(text);
  if ('problem' in parsed) {
    problems.add(number, parsed.problem);
    return undefined;
  }
  const read = schema.safeParse(parsed.value, { error: explainIssue });
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`);
  problems.add(number, issues.join('; '));
  return undefined;
}

async function judgementsFile(path: string): Promise<string> {
  const usual = join(path, 'qrels.tsv');
  const nested = join(path, 'qrels', 'test.tsv');
  const isThere = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  return !(await isThere(usual)) && (await isThere(nested)) ? nested : usual;
}

async function readJudgements(file: string): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  const judgements = new Map<string, Map<string, number>>();
  const problems = new Problems(file);
  let isFirst = true;
  for await (const { number, text } of readLines(file)) {
    const cells = text.split('\t').map((cell) => cell.trim());
    const [query = '', document = '', score = ''] = cells;
    const isHeader = isFirst && Number.isNaN(Number(score));
    isFirst = false;
    if (isHeader) continue;
    if (cells.length !== 3 || query === '' || document === '' || score === '' || !Number.isFinite(Number(score))) {
      problems.add(number, 'Expected query id, document id and a number, with tabs between.');
      continue;
    }
    const gains = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, gains.set(document, Number(score)));
  }
  problems.throwIfAny();
  return judgements;
}

interface ParsedCollection {
  readonly ids: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, QueryLine>;
  readonly judgements: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly queries: readonly TestQuery[];
}

function notesOn({ ids, texts, judgements, queries }: ParsedCollection): string[] {
  const unknownQueries = [...judgements.keys()].filter((id) => !texts.has(id)).length;
  const unknownDocuments = queries.flatMap(({ gains }) => [...gains.keys()].filter((id) => !ids.has(id))).length;
  const withoutAnswer = texts.size - queries.length;
  return [
    ...(withoutAnswer > 0 ? [`${withoutAnswer} queries are left out, for nothing is relevant to them.`] : []),
    ...(unknownQueries > 0 ? [`${unknownQueries} judged queries are not in queries.jsonl.`] : []),
    // Missing documents can never be found, but still count as misses: leaving them out would inflate the scores.
    ...(unknownDocuments > 0 ? [`${unknownDocuments} judged documents are not in corpus.jsonl.`] : []),
  ];
}
