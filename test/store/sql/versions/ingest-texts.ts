import { setTimeout as sleep } from 'node:timers/promises';
import type { NewDocument } from '../../../../src/store/corpus.ts';
import type { SqlStore } from '../../../../src/store/sql/open-store.ts';
import { newChunk, publication } from '../../../support/store.ts';

/** A vector that depends on the text alone. */
export function directionOf(text: string): Float32Array {
  let angle = 0;
  for (const letter of text) angle = (angle * 31 + letter.charCodeAt(0)) % 6.283;
  return Float32Array.of(Math.cos(angle) * 0.8, Math.sin(angle) * 0.8, 0.6, 0);
}

/** Ingests a document as the product does, reusing chunks where possible; returns the texts that had to be embedded. */
export async function ingestTexts(
  { corpus }: SqlStore,
  document: NewDocument,
  texts: readonly string[],
): Promise<string[]> {
  await corpus.begin({ ...document, bytes: Buffer.from(texts.join('\n')) }, { replace: true });
  let start = 0;
  const chunks = texts.map((text, order) => {
    const embeddedText = `${document.title}\n${text}`;
    const { vector: _, ...chunk } = newChunk(order, text, { start, end: start + text.length, embeddedText });
    start += text.length + 1;
    return chunk;
  });
  const kept = await corpus.keep(document.id, { title: document.title, chunks });
  const changed = chunks.filter(({ order }) => !kept.has(order));
  await corpus.stage(
    document.id,
    changed.map((chunk) => ({ ...chunk, vector: directionOf(chunk.text) })),
  );
  await corpus.publish(document.id, publication(texts.join('\n'), { chunkCount: texts.length }));
  return changed.map(({ text }) => text);
}

/** A time clearly after everything before and before everything after. */
export async function timestamp(): Promise<string> {
  await sleep(3);
  const now = new Date().toISOString();
  await sleep(3);
  return now;
}
