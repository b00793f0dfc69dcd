import type { Request } from 'express';
import type { ExtractedText } from '../../store/corpus.ts';
import { invalidField } from '../check-shape.ts';
import { readInteger } from '../read-query.ts';

/** Ours: the stretch of a document's extracted text that `start` and `end` of the request name, with its pages. */
export function toTextRecord(documentId: string, extracted: ExtractedText, request: Request) {
  const { length } = extracted.text;
  const start = readInteger(request, 'start') ?? 0;
  const end = Math.min(readInteger(request, 'end') ?? length, length);
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
