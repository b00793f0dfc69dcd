import type { PdfAnnotation } from '../../../pdf-layout/annotation-items.ts';
import { commentText } from '../office/comment-text.ts';

/** The kinds of annotations that carry a reviewer's words beside the page: notes, and marks with a note. */
const COMMENTED = new Set(['Text', 'Highlight', 'Underline', 'Squiggly', 'StrikeOut', 'Caret']);

/** The numbers of these kinds in PDF.js, by which it selects annotations. */
export const COMMENTED_TYPES: readonly number[] = [1, 9, 10, 11, 12, 14];

const MAX_COMMENTS = 2_000;

/** What reviewers wrote beside a page, with their names. */
export const commentsOf = (annotations: readonly PdfAnnotation[]): string[] =>
  annotations
    .filter(({ subtype = '', hidden }) => COMMENTED.has(subtype) && hidden !== true)
    .slice(0, MAX_COMMENTS)
    .flatMap(({ contentsObj, titleObj }) => {
      const text = contentsObj?.str?.trim() ?? '';
      return text === '' ? [] : [commentText(text, titleObj?.str)];
    });
