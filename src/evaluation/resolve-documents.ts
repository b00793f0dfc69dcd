import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { filePathOf } from '../shared/file-path-of.ts';
import { Problems } from './problems.ts';
import type { Question } from './questions.ts';

/** The names of a document. */
export interface NamedDocument {
  readonly id: string;
  readonly title: string;
  readonly fileName: string | null;
  readonly source: string | null;
}

/** A question with resolved documents. An ambiguous name matches any of its documents. */
export interface ResolvedQuestion extends Question {
  /** For each expected document, its possible identifiers. */
  readonly expected: readonly ReadonlySet<string>[];
}

/**
 * Resolves the documents that questions name, in one pass over the corpus. Throws `invalid_request` listing every line
 * with an unknown document, which would otherwise look like a search failure.
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

/** Paths, absolute or relative, are compared with forward slashes. */
const keyOf = (name: string): string => fold(name.replaceAll('\\', '/').replace(/^\.\//, ''));

/** All names a document may be referred to by, including every suffix of its path. */
function namesOf({ id, title, fileName, source }: NamedDocument): Set<string> {
  const names = [id, title, ...(fileName === null ? [] : [fileName]), ...(source === null ? [] : sourceNames(source))];
  return new Set(names.map(keyOf));
}

function sourceNames(source: string): string[] {
  const path = filePathOf(source)?.replaceAll('\\', '/');
  if (path === undefined) return [source, source.replace(/\/$/, '')];
  const parts = path.split('/');
  const ends = parts.map((_, index) => parts.slice(index).join('/')).filter((end) => end !== '');
  return [source, pathToFileURL(path).href, path, basename(path), ...ends];
}
