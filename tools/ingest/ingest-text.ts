import { z } from 'zod';
import { shortLine } from '../../src/shared/text.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { collections, metadata, title } from './fields.ts';
import { ingestItem, ingestOutput, toMetadata } from './ingest-item.ts';

export const ingestText = defineTool({
  name: 'ingest_text',
  title: 'Add a text',
  description:
    'Add a text as a new document that can be searched and cited. The same text is not added twice. Returns the document_id; the ingestion of a long text continues after the call, and corpus_status shows when it is ready.',
  input: z.object({
    text: z.string().min(1).max(2_000_000).describe('The text, as plain text or Markdown'),
    title,
    metadata,
    collections,
  }),
  output: ingestOutput,
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  needs: ['ingestion'],
  deadline: 45_000,

  execute: (input, context) =>
    ingestItem(
      {
        content: { kind: 'text', text: input.text },
        title: input.title ?? titleOf(input.text),
        metadata: toMetadata(input.metadata),
        collections: input.collections ?? [],
      },
      context,
    ),
});

const MAX_TITLE_LENGTH = 80;

/** The first heading near the beginning, or else the first line with words; undefined if there are no words. */
function titleOf(text: string): string | undefined {
  const beginning = text.slice(0, 2_000);
  const heading = /^#{1,3}[ \t]+(\S.*)$/m.exec(beginning)?.[1];
  const line = heading ?? beginning.split('\n').find((each) => /[\p{L}\p{N}]/u.test(each));
  return line === undefined ? undefined : shortLine(line.replace(/^#+|#+$/g, ''), MAX_TITLE_LENGTH).trim();
}
