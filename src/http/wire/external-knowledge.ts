import { z } from 'zod';
import type { ScoredChunk } from '../../documents/chunk.ts';
import type { Filter, Scalar } from '../../documents/filter.ts';
import { optional } from './tolerant.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const condition = z.object({
  name: z.union([z.string(), z.array(z.string()).min(1)]),
  comparison_operator: z.enum([
    'contains',
    'start with',
    'end with',
    'is',
    'is not',
    'in',
    'not in',
    'empty',
    'not empty',
    '=',
    '≠',
    '>',
    '<',
    '≥',
    '≤',
    'before',
    'after',
  ]),
  value: optional(z.union([scalar, z.array(scalar)])),
});
type Condition = z.output<typeof condition>;

/** Dify's external knowledge API: https://docs.dify.ai/guides/knowledge-base/external-knowledge-api-documentation */
export const externalKnowledgeRequest = z.object({
  knowledge_id: z.string().trim().min(1).describe('Id or name of a collection; `all` for all documents of the caller.'),
  query: z.string().trim().min(1),
  retrieval_setting: z
    .object({
      // Dify sends null if no value was chosen.
      top_k: optional(z.int().min(1).max(100)),
      score_threshold: optional(z.number().min(0).max(1)),
    })
    .prefault({}),
  metadata_condition: optional(
    z.object({
      logical_operator: optional(z.enum(['and', 'or'])),
      conditions: z.array(condition).max(50).nullish(),
    }),
  ),
});
type Conditions = z.output<typeof externalKnowledgeRequest>['metadata_condition'];

export const externalKnowledge = z
  .object({
    records: z.array(
      z.object({
        content: z.string(),
        score: z.number(),
        title: z.string(),
        metadata: z.record(z.string(), z.json()),
      }),
    ),
  })
  .meta({ id: 'ExternalKnowledge' });

/** Converts conditions on metadata to a filter. A comparison without a value matches nothing. */
export function conditionsFilter(conditions: Conditions): Filter {
  const filters = (conditions?.conditions ?? []).map(toFilter);
  if (filters.length === 0) return { kind: 'all' };
  return { kind: conditions?.logical_operator ?? 'and', filters };
}

function toFilter({ name, comparison_operator: operator, value }: Condition): Filter {
  const names = [name].flat();
  const filters = names.map((each) => compare(`metadata.${each}`, operator, [value ?? []].flat()));
  const [only] = filters;
  return filters.length === 1 && only !== undefined ? only : { kind: 'or', filters };
}

function compare(field: string, operator: Condition['comparison_operator'], values: readonly Scalar[]): Filter {
  if (operator === 'empty') return { kind: 'isNull', field };
  if (operator === 'not empty') return { kind: 'isNotNull', field };
  if (operator === 'in') return { kind: 'in', field, values };
  if (operator === 'not in') return { kind: 'notIn', field, values };
  const [value] = values;
  if (value === undefined) return { kind: 'none' };
  const comparison = (op: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte', other: Scalar): Filter => ({
    kind: 'compare',
    field,
    op,
    value: other,
  });
  const text = String(value);
  const like = (before: string, after: string): Filter => {
    const pattern = `${before}${text.replace(/[\\%_]/g, '\\$&')}${after}`;
    return { kind: 'like', field, pattern, caseSensitive: false };
  };
  // Dify sends numbers and times as text.
  const number = text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : value;
  switch (operator) {
    case 'contains':
      return like('%', '%');
    case 'start with':
      return like('', '%');
    case 'end with':
      return like('%', '');
    case 'is':
      return comparison('eq', value);
    case 'is not':
      return comparison('ne', value);
    case '=':
      return comparison('eq', number);
    case '≠':
      return comparison('ne', number);
    case '>':
    case 'after':
      return comparison('gt', number);
    case '<':
    case 'before':
      return comparison('lt', number);
    case '≥':
      return comparison('gte', number);
    case '≤':
      return comparison('lte', number);
  }
}

/** A hit in Dify's format. */
export function toKnowledgeRecord(chunk: ScoredChunk, score: number) {
  const { id, documentId, text, page, headingPath, metadata } = chunk;
  return {
    content: text,
    score,
    title: String(metadata['title'] ?? documentId),
    metadata: { ...metadata, document_id: documentId, chunk_id: id, page, heading_path: [...headingPath] },
  };
}
