import type { Chunk, ScoredChunk } from '../documents/chunk.ts';

/** `Title · chunk 12 · p. 4 · score 0.83 · document 1f0c…`: the line above a passage. */
export function passageLabel(chunk: Chunk & Partial<Pick<ScoredChunk, 'score'>>): string {
  const parts = [titleOf(chunk), `chunk ${chunk.order}`];
  if (chunk.page !== null) parts.push(`p. ${chunk.page}`);
  if (chunk.headingPath.length > 0) parts.push(chunk.headingPath.join(' > '));
  if (chunk.score !== undefined) parts.push(`score ${chunk.score.toFixed(3)}`);
  parts.push(`document_id ${chunk.documentId}`, `chunk_id ${chunk.id}`);
  return parts.join(' · ');
}

export function titleOf(chunk: Chunk): string {
  const title = chunk.metadata['title'];
  return typeof title === 'string' && title !== '' ? title : 'Untitled';
}

/** One passage as a block the model can cite by its number. */
export function renderPassage(number: number, chunk: Chunk, text: string = chunk.text): string {
  return `[${number}] ${passageLabel(chunk)}\n${text}`;
}

/**
 * As many blocks as fit, whole; a first block that is too long by itself is cut. Says how many were kept, so that the
 * caller can name the call that fetches the rest.
 */
export function fitBlocks(
  blocks: readonly string[],
  maxCharacters: number,
): { readonly text: string; readonly kept: number } {
  let length = 0;
  let kept = 0;
  for (const block of blocks) {
    length += block.length + 2;
    if (length > maxCharacters) break;
    kept++;
  }
  const [first] = blocks;
  if (kept === 0 && first !== undefined) {
    return { text: `${first.slice(0, Math.max(0, maxCharacters - 1))}…`, kept: 1 };
  }
  return { text: blocks.slice(0, kept).join('\n\n'), kept };
}
