import { parentPort } from 'node:worker_threads';
import { collectGarbage } from '../../shared/collect-garbage.ts';
import { packagedModel } from '../static/static-model.ts';
import { encodeArtefact } from './artefact.ts';
import { createChunkTermCounts } from './chunk-term-counts.ts';
import { createCentre } from './join-packaged.ts';
import { learn } from './learn.ts';

/** Messages to the thread: some of `total` texts, or the end of the texts with the corpus's number of chunks. */
export type LearningRequest =
  | { readonly kind: 'read'; readonly texts: readonly string[]; readonly total: number }
  | { readonly kind: 'learn'; readonly chunkCount: number };

/** Replies of the thread: one to each `read`, several to `learn`. */
export type LearningReply =
  | { readonly kind: 'read' }
  | { readonly kind: 'step'; readonly done: number; readonly total: number }
  | { readonly kind: 'learned'; readonly artefact: Uint8Array<ArrayBuffer> };

const counts = createChunkTermCounts();
/** V8 would collect only once the heap has grown by tens of megabytes, which the thread then keeps until it ends. */
const TEXTS_PER_COLLECTION = 4_000;
let textsSinceCollection = 0;
let centre: ReturnType<typeof createCentre> | undefined;
const reply = (message: LearningReply, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);

// The parent waits for each reply before its next request, so requests are never handled concurrently.
parentPort?.on('message', async (order: LearningRequest) => {
  if (order.kind === 'read') {
    centre ??= createCentre(await packagedModel(), order.total);
    for (const text of order.texts) {
      counts.add(text);
      centre.add(text);
    }
    textsSinceCollection += order.texts.length;
    if (textsSinceCollection >= TEXTS_PER_COLLECTION) {
      collectGarbage();
      textsSinceCollection = 0;
    }
    reply({ kind: 'read' });
    return;
  }
  let last = -1;
  const learned = learn(counts, ({ done, total }) => {
    const percent = Math.floor((100 * done) / total);
    if (percent === last) return;
    last = percent;
    reply({ kind: 'step', done, total });
  });
  // Frees the matrix before the model is copied.
  collectGarbage();
  const artefact = encodeArtefact({
    ...learned,
    chunkCount: order.chunkCount,
    centre: centre?.mean() ?? new Float32Array(),
  });
  reply({ kind: 'learned', artefact }, [artefact.buffer]);
});
