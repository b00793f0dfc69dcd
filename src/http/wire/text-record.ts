import { z } from 'zod';
import type { HeadingSpan } from '../../documents/document.ts';
import type { ExtractedText } from '../../store/corpus.ts';
import { invalidField } from '../check-shape.ts';
import { id } from './record-parts.ts';

export const textRecord = z
  .object({
    document_id: id,
    start: z.int(),
    end: z.int(),
    length: z.int().describe('Of the whole text.'),
    text: z.string(),
    pages: z.array(z.object({ number: z.int(), start: z.int(), end: z.int() })),
    headings: z
      .array(z.object({ start: z.int(), heading_path: z.array(z.string()) }))
      .describe('Starts of the sections of the range, with the headings above, outermost first.'),
  })
  .meta({ id: 'DocumentText' }) satisfies z.ZodType<ReturnType<typeof toTextRecord>>;

export const versionText = z.object({ ...textRecord.shape, version: z.string() }).meta({ id: 'VersionText' });

/** Addition: a range of a document's extracted text with its pages and headings; without `start` and `end`, the whole text. */
export function toTextRecord(
  documentId: string,
  extracted: ExtractedText,
  wanted: { readonly start?: number | undefined; readonly end?: number | undefined },
) {
  const { length } = extracted.text;
  const start = wanted.start ?? 0;
  const end = Math.min(wanted.end ?? length, length);
  if (start > end) throw invalidField('value_error', ['query', 'start'], `start must be at most ${end}.`, start);
  return {
    document_id: documentId,
    start,
    end,
    length,
    text: extracted.text.slice(start, end),
    pages: extracted.pages.filter((each) => each.start < end && each.end > start),
    headings: sectionsIn(extracted.headings ?? [], start, end).map((each) => ({
      start: each.start,
      heading_path: [...each.path],
    })),
  };
}

/** The section in which the range begins, and those that begin within it. */
function sectionsIn(headings: readonly HeadingSpan[], start: number, end: number): HeadingSpan[] {
  const first = headings.findLastIndex((each) => each.start <= start);
  return headings.slice(Math.max(0, first)).filter((each) => each.start < end);
}
