import { z } from 'zod';
import type { Document, Json } from '../../src/documents/document.ts';
import { ServiceError } from '../../src/errors.ts';
import { oneLine } from '../../src/toolbox/render-passages.ts';
import { defineTool } from '../../src/toolbox/tool.ts';

/** Documents whose metadata is looked at for what can be filtered by. */
const SAMPLE = 100;
const MOST_FIELDS = 40;
const MOST_EXAMPLES = 3;

export const corpusStatus = defineTool({
  name: 'corpus_status',
  title: 'Show what there is',
  description:
    'Show how many documents and chunks there are, what searches and answers them, which fields the filters argument can use with examples of their values, and which tools are not available here, why, and what to set for them.',
  input: z.object({}),
  output: z.object({
    documents: z.number().int(),
    documents_by_status: z.record(z.string(), z.number().int()),
    chunks: z.number().int(),
    owed_to_index: z.number().int(),
    embedder: z.string(),
    model: z.string(),
    index: z.string(),
    fields: z.array(z.object({ name: z.string(), type: z.string(), examples: z.array(z.string()) })),
    absent_tools: z.array(z.object({ name: z.string(), reason: z.string() })),
    hints: z.array(z.string()),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['facts'],
  deadline: 10_000,

  async execute(_input, { facts, library, visible, absentTools = [] }) {
    if (facts === undefined) throw new ServiceError('not_configured', 'Nothing is known of the corpus here.');
    const [{ documents, ...known }, sample] = await Promise.all([
      facts(),
      library.list(visible, { offset: 0, limit: SAMPLE }),
    ]);
    const byStatus = Object.fromEntries(Object.entries(documents).filter(([, count]) => count > 0));
    const total = Object.values(documents).reduce((sum, count) => sum + count, 0);
    const fields = filterableFields(sample.items);
    const states = Object.entries(byStatus).map(([status, count]) => `${count} ${status}`);
    const lines = [
      `Documents: ${total}${states.length === 0 ? '' : ` (${states.join(', ')})`}, chunks: ${known.chunks}`,
      `Search: ${known.embedder}, index ${known.index}${known.owedToIndex > 0 ? `, ${known.owedToIndex} chunks on their way there` : ''}`,
      `Answers: ${known.model}`,
      `Fields for filters:${fields.length === 0 ? ' none yet' : ''}`,
      ...fields.map(({ name, type, examples }) => `  ${name} (${type}), e.g. ${examples.join(', ')}`),
      ...(absentTools.length === 0 ? [] : ['Tools that are not available here:']),
      ...absentTools.map(({ name, reason }) => `  ${name}: ${reason}`),
      ...known.hints,
    ];
    return {
      text: lines.join('\n'),
      structured: {
        documents: total,
        documents_by_status: byStatus,
        chunks: known.chunks,
        owed_to_index: known.owedToIndex,
        embedder: known.embedder,
        model: known.model,
        index: known.index,
        fields,
        absent_tools: absentTools.map(({ name, reason }) => ({ name, reason })),
        hints: [...known.hints],
      },
    };
  },
});

interface Field {
  readonly name: string;
  readonly type: string;
  readonly examples: string[];
}

/** What every document has, and what their metadata brings; with values that occur. */
function filterableFields(documents: readonly Document[]): Field[] {
  const fields = new Map<string, { readonly types: Set<string>; readonly examples: Set<string> }>();
  const note = (name: string, value: Json) => {
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return;
    const field = fields.get(name) ?? { types: new Set<string>(), examples: new Set<string>() };
    fields.set(name, field);
    field.types.add(Array.isArray(value) ? 'list' : typeof value);
    if (field.examples.size < MOST_EXAMPLES) field.examples.add(oneLine(JSON.stringify(value), 60));
  };
  for (const document of documents) {
    note('document_type', document.type);
    note('title', document.title);
    note('created_at', document.createdAt);
    for (const [name, value] of Object.entries(document.metadata)) note(`metadata.${name}`, value);
  }
  return [...fields]
    .slice(0, MOST_FIELDS)
    .map(([name, { types, examples }]) => ({ name, type: [...types].join(' or '), examples: [...examples] }));
}
