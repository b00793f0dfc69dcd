import { describe, expect, it, vi } from 'vitest';
import { createLeasedQueue, type LeasedQueueParts, type Round } from '../../src/shared/leased-queue.ts';

function queueOver(tasks: string[], { round, ...parts }: Partial<LeasedQueueParts> = {}) {
  const done: string[] = [];
  const listeners = new Set<() => void>();
  const requeue = vi.fn(async () => {});
  const failures: unknown[] = [];
  const next = async () => {
    await queue.ready();
    const task = tasks.shift();
    if (task !== undefined) done.push(task);
    return task === undefined ? undefined : { task };
  };
  const queue = createLeasedQueue({
    requeue,
    countWaiting: async () => tasks.length,
    round: round ?? (async () => ((await next()) === undefined ? 'empty' : 'worked')),
    changes: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    onFailure: (error) => failures.push(error),
    ...parts,
  });
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { queue, next, tasks, done, requeue, failures, change, listeners };
}

describe('a leased queue', () => {
  it('is drained by a waiting caller, including entries added meanwhile', async () => {
    const { queue, next, tasks, requeue } = queueOver(['a', 'b']);
    const counts: string[] = [];
    for await (const { task, done, total } of queue.drain(next)) {
      counts.push(`${task} ${done}/${total}`);
      if (task === 'a') tasks.push('c');
    }
    expect(counts).toEqual(['a 1/2', 'b 2/3', 'c 3/3']);
    expect(requeue).toHaveBeenCalledOnce();
    await queue.close();
  });

  it('requeues tasks later when that fails at first', async () => {
    const requeue = vi.fn(async () => {}).mockRejectedValueOnce(new Error('away'));
    const { queue, done, failures, change } = queueOver(['a'], { requeue });
    queue.start();
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    change();
    await vi.waitFor(() => expect(done).toEqual(['a']));
    expect(requeue).toHaveBeenCalledTimes(2);
    await queue.close();
  });

  it('is processed in the background from its start on and after every change, until it is closed', async () => {
    const idle = vi.fn(async () => {});
    const { queue, tasks, done, change, listeners } = queueOver(['a'], { onIdle: idle });
    change();
    expect(done).toEqual([]);
    queue.start();
    await vi.waitFor(() => expect(idle).toHaveBeenCalledOnce());
    tasks.push('b', 'c');
    change();
    await vi.waitFor(() => expect(idle).toHaveBeenCalledTimes(2));
    expect(done).toEqual(['a', 'b', 'c']);
    await queue.close();
    tasks.push('d');
    queue.wake();
    expect([done.length, listeners.size]).toEqual([3, 0]);
  });

  it('checks again when a change arrives during the last check', async () => {
    let rounds = 0;
    const { queue } = queueOver([], {
      async round(): Promise<Round> {
        rounds++;
        if (rounds === 1) queue.wake();
        return 'empty';
      },
    });
    queue.start();
    await vi.waitFor(() => expect(rounds).toBe(2));
    await queue.close();
  });

  it('reports what ended the background work, and starts again with the next change', async () => {
    let rounds = 0;
    const { queue, failures, change } = queueOver([], {
      async round(): Promise<Round> {
        rounds++;
        if (rounds === 1) throw new Error('broken');
        return 'empty';
      },
    });
    queue.start();
    await vi.waitFor(() => expect(failures).toEqual([new Error('broken')]));
    change();
    await vi.waitFor(() => expect(rounds).toBe(2));
    await queue.close();
  });

  it('restarts automatically after a failure, and requeues tasks that may have been left unfinished', async () => {
    let rounds = 0;
    const { queue, next, requeue, failures } = queueOver(['a'], {
      retryMs: 5,
      async round(): Promise<Round> {
        rounds++;
        await next();
        if (rounds === 1) throw new Error('away');
        return 'empty';
      },
    });
    queue.start();
    await vi.waitFor(() => expect(rounds).toBe(2));
    await queue.close();
    expect(requeue).toHaveBeenCalledTimes(2);
    expect(failures).toHaveLength(1);
  });

  it('interrupts a pause when it is closed, without reporting an error', async () => {
    let rounds = 0;
    const { queue, failures } = queueOver([], {
      async round(): Promise<Round> {
        rounds++;
        return { waitMs: 600_000 };
      },
    });
    queue.start();
    await vi.waitFor(() => expect(rounds).toBe(1));
    await queue.close();
    expect([rounds, failures]).toEqual([1, []]);
  });
});
