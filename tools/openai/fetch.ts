import { z } from 'zod';
import { wholeCharacterEnd } from '../../src/shared/text.ts';
import { findDocument } from '../../src/toolbox/find-document.ts';
import { defineTool } from '../../src/toolbox/tool.ts';
import { addressOf } from './address.ts';

/** Share of the result limit available to the text; the rest allows for JSON escaping. */
const TEXT_SHARE = 0.8;

/** One of the two tools that ChatGPT requires; it prescribes their names, inputs and outputs. */
export const fetchDocument = defineTool({
  name: 'fetch',
  title: 'Fetch',
  description: 'Read one document that search found: its text, title and url. A very long text is cut, with a note.',
  input: z.object({ id: z.string().trim().min(1).max(64).describe('The id of a result of search') }),
  output: z.object({
    id: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    metadata: z.record(z.string(), z.string()),
  }),
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  deadline: 10_000,

  async execute({ id }, context) {
    const document = await findDocument(id, context);
    const text = (await context.library.textOf(document.id))?.text ?? '';
    const max = Math.floor(context.maxCharacters * TEXT_SHARE);
    const isCut = text.length > max;
    const result = {
      id: document.id,
      title: document.title,
      text: isCut
        ? `${text.slice(0, wholeCharacterEnd(text, max))}\n\n(cut at ${max} of ${text.length} characters; search finds passages of the rest)`
        : text,
      url: addressOf(document.id, document.source, context.pageOrigin),
      metadata: {
        document_type: document.type,
        updated_at: document.updatedAt,
        ...(isCut ? { total_chars: String(text.length) } : {}),
      },
    };
    return { text: JSON.stringify(result), structured: result };
  },
});
