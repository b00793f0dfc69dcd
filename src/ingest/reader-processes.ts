import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Condition } from '../shared/condition.ts';

/** The running reader processes, each lent to one task at a time. */
export interface ReaderProcesses {
  /** An idle process, or a new one; undefined after `close`. */
  take(): Promise<ChildProcess | undefined>;
  /** Returns a process that can read further documents. */
  giveBack(worker: ChildProcess): void;
  /** Kills all processes, and waits until they have ended. */
  close(): Promise<void>;
}

/** An idle process is ended after this time to free its memory. */
const IDLE_MS = 60_000;
/**
 * A process takes 0.2 s of processor time to start and 80 MB, and reads a short text in 5 ms. So another one is started
 * only for a task that the running ones have kept waiting for so long, or while one of them takes so long to start.
 */
const WAIT_MS = 50;
const START_MS = 1_000;

export function createReaderProcesses(start: () => ChildProcess): ReaderProcesses {
  const all = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  /** The processes that have not answered yet, with the time of their start. */
  const starting = new Map<ChildProcess, number>();
  const change = new Condition();
  let isClosed = false;

  const forget = (worker: ChildProcess) => {
    clearTimeout(idle.get(worker));
    idle.delete(worker);
  };
  const hasEnded = (worker: ChildProcess) => {
    all.delete(worker);
    starting.delete(worker);
    forget(worker);
    change.notify();
  };
  const startOne = (): ChildProcess => {
    const worker = start();
    all.add(worker);
    starting.set(worker, performance.now());
    worker.once('exit', () => hasEnded(worker));
    // Without a listener, a process that cannot be started would crash the service.
    worker.on('error', () => hasEnded(worker));
    return worker;
  };
  const takeIdle = (): ChildProcess | undefined => {
    const worker = [...idle.keys()].find(({ connected }) => connected);
    if (worker === undefined) return undefined;
    forget(worker);
    setHeld(worker, true);
    return worker;
  };
  const millisecondsLeft = (since: number): number => {
    if (all.size === 0) return 0;
    const started = Math.max(...starting.values());
    return Math.max(since + WAIT_MS, started + START_MS) - performance.now();
  };

  return {
    async take() {
      const since = performance.now();
      while (!isClosed) {
        const worker = takeIdle();
        if (worker !== undefined) return worker;
        const left = millisecondsLeft(since);
        if (left <= 0) return startOne();
        await Promise.race([change.next, sleep(left, undefined, { ref: false })]);
      }
      return undefined;
    },

    giveBack(worker) {
      starting.delete(worker);
      setHeld(worker, false);
      const end = () => {
        // Forgotten first, so that it gets no further task before it has exited.
        forget(worker);
        worker.kill('SIGKILL');
      };
      idle.set(worker, setTimeout(end, IDLE_MS).unref());
      change.notify();
    },

    async close() {
      isClosed = true;
      await Promise.all(
        [...all].map((worker) => {
          const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
          // A process with a job must keep the program alive.
          setHeld(worker, true);
          worker.kill('SIGKILL');
          return gone;
        }),
      );
    },
  };
}

/** An idle process must not keep a finished program alive. */
function setHeld(worker: ChildProcess, isHeld: boolean): void {
  if (isHeld) {
    worker.ref();
    worker.channel?.ref();
  } else {
    worker.unref();
    worker.channel?.unref();
  }
}
