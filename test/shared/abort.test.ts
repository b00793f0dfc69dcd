import { describe, expect, it, vi } from 'vitest';
import { onAbort, raceAbort, startDeadline, untilAborted } from '../../src/shared/abort.ts';

const never = new Promise<never>(() => {});

describe('a promise raced against an abort', () => {
  it('resolves to the value, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    expect(await raceAbort(Promise.resolve('value'), signal)).toBe('value');
    expect(removed).toHaveBeenCalledOnce();
    expect(await raceAbort(Promise.resolve('value'), undefined)).toBe('value');
  });

  it('rejects with the reason at once, however long the promise takes', async () => {
    const abort = new AbortController();
    const raced = raceAbort(never, abort.signal);
    abort.abort(new Error('stop'));
    await expect(raced).rejects.toThrow('stop');
  });

  it('rejects for an aborted signal, even when the value is available', async () => {
    await expect(raceAbort(Promise.resolve('value'), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  it('rejects with a custom error if one is given', async () => {
    const raced = raceAbort(never, AbortSignal.abort('why'), ({ reason }) => new Error(`cancelled: ${reason}`));
    await expect(raced).rejects.toThrow('cancelled: why');
  });
});

describe('listening for an abort', () => {
  it('calls back once, immediately if already aborted, and never after removal', async () => {
    const calls: string[] = [];
    const abort = new AbortController();
    onAbort(abort.signal, () => calls.push('kept'));
    onAbort(abort.signal, () => calls.push('ended'))();
    abort.abort();
    onAbort(abort.signal, () => calls.push('late'));
    await untilAborted(abort.signal);
    expect(calls).toEqual(['kept', 'late']);
  });
});

describe('a deadline', () => {
  it('aborts when the time is up', async () => {
    using deadline = startDeadline(1, new AbortController().signal);
    await untilAborted(deadline.signal);
    expect([deadline.isOver, deadline.signal.reason.name]).toEqual([true, 'TimeoutError']);
  });

  it('distinguishes the time limit from an abort of the caller', () => {
    const caller = new AbortController();
    using deadline = startDeadline(60_000, caller.signal);
    caller.abort(new Error('gone'));
    expect([deadline.isOver, deadline.signal.reason.message]).toEqual([false, 'gone']);
  });

  it('leaves no timer behind', () => {
    vi.useFakeTimers();
    try {
      {
        using _ = startDeadline(60_000, new AbortController().signal);
        expect(vi.getTimerCount()).toBe(1);
      }
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
