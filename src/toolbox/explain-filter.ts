import type { Document } from '../documents/document.ts';
import { isRecord } from '../shared/objects.ts';
import { shortLine } from '../shared/text.ts';
import { filterableFields } from './filterable-fields.ts';
import type { Library, ToolContext } from './tool-context.ts';

/** Number of documents sampled for existing fields and values. */
const DOCUMENTS_SAMPLED = 100;
const MAX_VALUES = 8;

/**
 * Explains why a filter matches nothing: a field that no document has, or a value that the field never has. In a large
 * corpus only the newest documents are looked at, and the explanation says so.
 */
export async function explainFilter(
  filters: Readonly<Record<string, unknown>>,
  { library, visible }: Pick<ToolContext, 'visible'> & { readonly library: Pick<Library, 'list'> },
): Promise<string | undefined> {
  const conditions = conditionsOf(filters);
  if (conditions.length === 0) return undefined;
  const { items, total } = await library.list(visible, { offset: 0, limit: DOCUMENTS_SAMPLED });
  const nobody = items.length < total ? `None of the ${items.length} newest documents` : 'No document';
  const known = filterableFields(items);
  const problems = conditions.flatMap(({ field, values: wanted }) => {
    const name = known.find((each) => each.name === field || each.name === `metadata.${field}`)?.name;
    if (name === undefined) {
      if (BUILT_IN.has(field)) return [];
      return [
        `${nobody} has the field "${shortLine(field, 60)}". Fields: ${known.map((each) => each.name).join(', ')}.`,
      ];
    }
    const values: readonly unknown[] = [...new Set(items.map((document) => fieldOf(document, name)))].filter(
      (each) => each !== undefined,
    );
    const [value] = wanted;
    if (typeof value !== 'string' || wanted.some((each) => values.includes(each))) return [];
    if (!values.every((each) => typeof each === 'string')) return [];
    const some = values.slice(0, MAX_VALUES).map((each) => JSON.stringify(shortLine(each, 60)));
    return [
      `${nobody} has ${name} ${JSON.stringify(shortLine(value, 60))}; it is ${some.join(', ')}${values.length > MAX_VALUES ? ', …' : ''}.`,
    ];
  });
  return problems.length === 0 ? undefined : problems.join(' ');
}

// Fields that every document has and whose values are not useful as examples.
const BUILT_IN: ReadonlySet<string> = new Set(
  'id document_id chunk_id owner_id collection_id collection_ids created_at updated_at version source file_name media_type size_in_bytes ingestion_status page_number chunk_order text summary'.split(
    ' ',
  ),
);

interface Condition {
  readonly field: string;
  /** Operands of an equality or membership comparison; empty for other comparisons. */
  readonly values: readonly unknown[];
}

function conditionsOf(filters: Readonly<Record<string, unknown>>): Condition[] {
  return Object.entries(filters).flatMap(([field, condition]): Condition[] => {
    if (field.startsWith('$')) {
      return [condition].flat().flatMap((each) => (isRecord(each) ? conditionsOf(each) : []));
    }
    const equal = isRecord(condition) ? (condition['$eq'] ?? condition['$in'] ?? []) : condition;
    return [{ field, values: [equal].flat() }];
  });
}

function fieldOf(document: Document, name: string): unknown {
  if (name === 'document_type') return document.type;
  if (name === 'title') return document.title;
  return document.metadata[name.replace(/^metadata\./, '')];
}
