import { z } from 'zod';
import type { ScoredChunk } from '../../src/documents/chunk.ts';
import { titleOf } from '../../src/toolbox/render-blocks.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { addressOf } from './address.ts';

const MAX_CHUNKS = 20;

/** One of the two tools that ChatGPT requires; it prescribes their names, inputs and outputs. */
export const search = defineTool({
  name: 'search',
  title: 'Search',
  description:
    'Search the documents and return those that fit best, each with id, title and url. Read one with fetch and its id.',
  input: z.object({ query: z.string().trim().min(1).max(2000).describe('What to look for, in plain words') }),
  output: z.object({ results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })) }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute({ query }, { retriever, library, visible, settings, pageOrigin, signal }) {
    const { chunks } = await retriever.search(query, { ...settings, limit: MAX_CHUNKS }, signal);
    const best = new Map<string, ScoredChunk>();
    for (const chunk of chunks) if (!best.has(chunk.documentId)) best.set(chunk.documentId, chunk);
    const { items } = await library.list(
      { kind: 'and', filters: [visible, { kind: 'in', field: 'id', values: [...best.keys()] }] },
      { offset: 0, limit: MAX_CHUNKS },
    );
    const documents = new Map(items.map((document) => [document.id, document]));
    const results = [...best].map(([id, chunk]) => {
      const document = documents.get(id);
      return { id, title: document?.title ?? titleOf(chunk), url: addressOf(id, document?.source ?? null, pageOrigin) };
    });
    return { text: JSON.stringify({ results }), structured: { results } };
  },
});
