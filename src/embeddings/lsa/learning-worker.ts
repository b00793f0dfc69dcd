import { parentPort } from 'node:worker_threads';
import { encodeArtefact } from './artefact.ts';
import { createChunkTermCounts } from './chunk-term-counts.ts';
import { learn } from './learn.ts';

/** Messages to the thread: texts to read, or the end of them; `chunkCount` is the number of chunks in the corpus. */
export type LearningRequest =
  | { readonly kind: 'read'; readonly texts: readonly string[] }
  | { readonly kind: 'learn'; readonly chunkCount: number };

/** Its replies, one to each `read`, several to `learn`. */
export type LearningReply =
  | { readonly kind: 'read' }
  | { readonly kind: 'step'; readonly done: number; readonly total: number }
  | { readonly kind: 'learned'; readonly artefact: Uint8Array<ArrayBuffer> };

const counts = createChunkTermCounts();
const reply = (message: LearningReply, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);

parentPort?.on('message', (order: LearningRequest) => {
  if (order.kind === 'read') {
    for (const text of order.texts) counts.add(text);
    reply({ kind: 'read' });
    return;
  }
  let last = -1;
  const learned = learn(counts, ({ done, total }) => {
    if (done === last) return;
    last = done;
    reply({ kind: 'step', done, total });
  });
  const artefact = encodeArtefact({ ...learned, chunkCount: order.chunkCount });
  reply({ kind: 'learned', artefact }, [artefact.buffer]);
});
