import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '../documents/document.ts';
import type { Corpus } from '../store/corpus.ts';
import type { IngestionQueue } from '../store/ingestion-queue.ts';
import { type Attempt, AttemptTakenOver } from '../store/taken-over.ts';

/** Keeps other processes from working on the task of a document. */
export interface TaskHolder {
  /** The attempt that the writes of a run belong to, or `AttemptTakenOver` if another process has the task. */
  hold(document: Document): Promise<Attempt | AttemptTakenOver>;
  /** Returns the task of a document to the queue; `held` is undefined if it was not held yet. */
  putBack(id: string, held: Attempt | undefined): Promise<void>;
}

const RELEASE_PAUSE_MS = 1_000;
const RELEASE_TRIES = 300;

export function createTaskHolder(
  queue: Pick<IngestionQueue, 'hold' | 'release'>,
  corpus: Pick<Corpus, 'get'>,
): TaskHolder {
  /**
   * Retries a failed release in the background, for example while the database restarts. Meanwhile no other process
   * takes the task, because this one still holds it.
   */
  async function releaseLater(id: string, held: Attempt): Promise<void> {
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      await sleep(RELEASE_PAUSE_MS, undefined, { ref: false });
      const isReleased = await queue.release(id, held).then(
        () => true,
        () => false,
      );
      if (isReleased) return;
    }
  }

  return {
    async hold({ id, ingestionStatus: status, ingestionAttempt }) {
      if (status === 'success' || status === 'failed') return ingestionAttempt;
      return queue.hold(id, ingestionAttempt).catch((error: unknown) => {
        if (error instanceof AttemptTakenOver) return error;
        throw error;
      });
    },

    async putBack(id, mine) {
      const held = mine ?? (await corpus.get(id))?.ingestionAttempt;
      if (held === undefined) return;
      await queue.release(id, held).catch((error: unknown) => {
        // A late release needs a token, which distinguishes this attempt from a later one.
        if (typeof held === 'object') void releaseLater(id, held);
        throw error;
      });
    },
  };
}
