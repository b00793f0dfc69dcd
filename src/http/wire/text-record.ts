import type { ExtractedText } from '../../store/corpus.ts';
import { invalidField } from '../check-shape.ts';

/** Ours: the stretch of a document's extracted text between `start` and `end`, with its pages; all of it when absent. */
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
  };
}
