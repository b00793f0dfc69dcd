import { call, messageOf } from '../../api/request.ts';

interface Changed {
  readonly added: number;
  readonly removed: number;
  readonly unchanged: readonly { readonly document_id: string; readonly code: string; readonly message: string }[];
}

export interface MoveProgress {
  readonly handled: number;
  readonly changed: number;
  /** Why the first document that was not changed was not. Not set for one that is as wanted already. */
  readonly refusal?: string;
  /** Why the change ended before its end. */
  readonly failure?: string;
}

export interface Move {
  readonly kind: 'add' | 'remove';
  readonly collection: string;
  readonly ids: readonly string[];
}

/** Documents per request: few enough to show progress, and enough for the number of requests a user may send in a minute. */
export const MOVE_BATCH = 500;

const sendMove = ({ kind, collection, ids }: Move): Promise<Changed> =>
  call<Changed>(`/v3/collections/${collection}/documents`, { method: 'POST', body: { [kind]: ids } });

/** Adds documents to a collection or removes them, in batches, and yields the progress. A failed request ends it. */
export async function* moveSelected(
  move: Move,
  send: (move: Move) => Promise<Changed> = sendMove,
): AsyncGenerator<MoveProgress, void> {
  let progress: MoveProgress = { handled: 0, changed: 0 };
  for (let start = 0; start < move.ids.length; start += MOVE_BATCH) {
    const ids = move.ids.slice(start, start + MOVE_BATCH);
    try {
      const { added, removed, unchanged } = await send({ ...move, ids });
      const refusal = progress.refusal ?? unchanged.find(({ code }) => code !== 'conflict')?.message;
      progress = {
        handled: progress.handled + ids.length,
        changed: progress.changed + added + removed,
        ...(refusal !== undefined && { refusal }),
      };
      yield progress;
    } catch (error) {
      yield { ...progress, failure: messageOf(error) };
      return;
    }
  }
}
