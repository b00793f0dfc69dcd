import type { DeletionReceipt } from '../../corpus.ts';
import type { RemovedChunks } from './verify-removal.ts';

type Verification = Pick<DeletionReceipt, 'index' | 'verified'>;
type Verify = (removed: RemovedChunks, patienceMs: number) => Promise<Verification>;

interface Waiting {
  readonly removed: RemovedChunks;
  readonly settle: (verification: Promise<Verification>) => void;
}

/** Chunks searched for to verify several removals at once. */
const MAX_SAMPLES = 6;
/** How long the index may take to apply a removal. */
const PATIENCE_MS = 2_000;
/** The same after a removal that it had not applied by then, since it is then busy with many writes. */
const LAGGING_PATIENCE_MS = 50;

/**
 * Verifies removals that arrive while others are being verified together, because a verification waits for the index
 * and searches it: many documents may be deleted one by one. If anything is left of them, each is verified alone.
 */
export function shareVerification(verify: Verify): (removed: RemovedChunks) => Promise<Verification> {
  let waiting: Waiting[] = [];
  let isRunning = false;
  let patienceMs = PATIENCE_MS;
  const patiently = async (removed: RemovedChunks): Promise<Verification> => {
    const verification = await verify(removed, patienceMs);
    patienceMs = verification.index?.state === 'pending' ? LAGGING_PATIENCE_MS : PATIENCE_MS;
    return verification;
  };
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) {
      const group = waiting;
      waiting = [];
      await verifyGroup(group, patiently);
    }
    isRunning = false;
  };
  return (removed) => {
    const { promise, resolve } = Promise.withResolvers<Verification>();
    waiting.push({ removed, settle: resolve });
    if (!isRunning) void run();
    return promise;
  };
}

/** Settles every removal of the group, and never rejects. */
async function verifyGroup(
  group: readonly Waiting[],
  verify: (removed: RemovedChunks) => Promise<Verification>,
): Promise<void> {
  const [first] = group;
  const removed = group.length === 1 && first !== undefined ? first.removed : merged(group);
  const together = verify(removed);
  const { index, verified } = await together.catch(() => ({ index: undefined, verified: undefined }));
  for (const each of group) {
    const own = { removed: each.removed.keys.length };
    if (group.length === 1) each.settle(together);
    else if (verified !== false && verified !== undefined && index !== undefined)
      each.settle(Promise.resolve({ index: { ...index, ...own }, verified }));
    else {
      const alone = verify(each.removed);
      each.settle(alone);
      await alone.catch(() => undefined);
    }
  }
}

function merged(group: readonly Waiting[]): RemovedChunks {
  const samples = group.flatMap(({ removed }) => removed.samples.slice(0, 1));
  const step = Math.max(1, Math.ceil(samples.length / MAX_SAMPLES));
  return {
    keys: group.flatMap(({ removed }) => removed.keys),
    samples: samples.filter((_, place) => place % step === 0),
  };
}
