import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Problems } from './problems.ts';
import type { Question } from './questions.ts';

/** What a document is known by. */
export interface NamedDocument {
  readonly id: string;
  readonly title: string;
  readonly fileName: string | null;
  readonly source: string | null;
}

/** A question whose documents are identifiers. A name that several have stands for any of them. */
export interface ResolvedQuestion extends Question {
  /** For each expected document the identifiers that it may have. */
  readonly expected: readonly ReadonlySet<string>[];
}

/**
 * Finds the documents that questions name, in one pass over all there are. Throws `invalid_request` that names every
 * line with a document that is not there: measured all the same, it would look like a fault of the search.
 */
export async function resolveDocuments(
  questions: readonly Question[],
  file: string,
  documents: AsyncIterable<NamedDocument>,
): Promise<readonly ResolvedQuestion[]> {
  const wanted = new Map<string, Set<string>>();
  for (const name of questions.flatMap((question) => question.documents)) wanted.set(keyOf(name), new Set());
  if (wanted.size > 0) {
    for await (const document of documents) {
      for (const name of namesOf(document)) wanted.get(name)?.add(document.id);
    }
  }
  const problems = new Problems(file);
  const resolved = questions.map((question): ResolvedQuestion => {
    const expected = question.documents.map((name) => {
      const ids = wanted.get(keyOf(name)) ?? new Set();
      if (ids.size === 0) problems.add(question.line, `No document is called "${name}" by id, title, file or source.`);
      return ids;
    });
    return { ...question, expected };
  });
  problems.throwIfAny();
  return resolved;
}

const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/** A path as it is written, absolute or from somewhere, is compared by its slashes going forward. */
const keyOf = (name: string): string => fold(name.replaceAll('\\', '/').replace(/^\.\//, ''));

/** Everything an author may have meant the document by: its path also by each of its ends. */
function namesOf({ id, title, fileName, source }: NamedDocument): Set<string> {
  const names = [id, title, ...(fileName === null ? [] : [fileName]), ...(source === null ? [] : sourceNames(source))];
  return new Set(names.map(keyOf));
}

function sourceNames(source: string): string[] {
  if (!source.startsWith('file:')) return [source, source.replace(/\/$/, '')];
  const path = fileURLToPath(source).replaceAll('\\', '/');
  const parts = path.split('/');
  const ends = parts.map((_, index) => parts.slice(index).join('/')).filter((end) => end !== '');
  return [source, pathToFileURL(path).href, path, basename(path), ...ends];
}
