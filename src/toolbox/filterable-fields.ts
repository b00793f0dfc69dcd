import type { Document, Json } from '../documents/document.ts';
import { shortLine } from '../shared/text.ts';

const MAX_FIELDS = 40;
const MAX_EXAMPLES = 3;

export interface FilterableField {
  readonly name: string;
  readonly type: string;
  readonly examples: string[];
}

/** Built-in fields and fields of the documents' metadata, with example values. */
export function filterableFields(documents: readonly Document[]): FilterableField[] {
  const fields = new Map<string, { readonly types: Set<string>; readonly examples: Set<string> }>();
  const note = (name: string, value: Json) => {
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return;
    const field = fields.get(name) ?? { types: new Set<string>(), examples: new Set<string>() };
    fields.set(name, field);
    field.types.add(Array.isArray(value) ? 'list' : typeof value);
    if (field.examples.size < MAX_EXAMPLES) field.examples.add(shortLine(JSON.stringify(value), 60));
  };
  for (const document of documents) {
    note('document_type', document.type);
    note('title', document.title);
    note('created_at', document.createdAt);
    for (const [name, value] of Object.entries(document.metadata)) note(`metadata.${name}`, value);
  }
  return [...fields]
    .slice(0, MAX_FIELDS)
    .map(([name, { types, examples }]) => ({ name, type: [...types].join(' or '), examples: [...examples] }));
}
