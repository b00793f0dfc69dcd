import type { QueryTerms } from '../../full-text/analyse.ts';
import type { KeySet } from '../search/key-set.ts';
import type { TermIndex } from './term-index.ts';

/**
 * The terms to look for, without the parts of identifiers that a chunk has as a whole: `file_size` then finds what
 * names `file_size`, and not everything about files. Only the chunks that pass count.
 */
export function dropIdentifierParts(
  index: TermIndex,
  { terms, identifiers }: Pick<QueryTerms, 'terms' | 'identifiers'>,
  allowed: KeySet | undefined,
): readonly string[] {
  const kept = new Set(identifiers.map(([whole]) => whole));
  const dropped = identifiers.flatMap(([whole, parts]) => (isFound(index, whole, allowed) ? parts : []));
  const parts = new Set(dropped.filter((term) => !kept.has(term)));
  return parts.size === 0 ? terms : terms.filter((term) => !parts.has(term));
}

const isFound = ({ chunks, postings }: TermIndex, term: string, allowed: KeySet | undefined): boolean =>
  postings(term).some((posting) => {
    const key = Math.abs(posting);
    return (chunks.lengths[key] ?? -1) >= 0 && (allowed?.has(key) ?? true);
  });
