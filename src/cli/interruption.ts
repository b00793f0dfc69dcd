/** How the user asks a command to end. */
export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM, or when the output's reader has gone. */
  readonly stop: AbortSignal;
  /** Aborted by the second signal of a patient command: cancel work in progress. */
  readonly abandon: AbortSignal;
  readonly received: () => 'SIGINT' | 'SIGTERM' | 'EPIPE' | undefined;
  /** The command finishes its work after the first signal; only the third one ends the process. */
  bePatient(): void;
  /** Asks first whether Ctrl-C ended something smaller than the command; true means that it did. */
  askFirst(endsSomething: () => boolean): void;
  /** The command continues when its output is no longer read. */
  outliveReader(): void;
  /** The reader of stdout has gone. */
  brokenPipe(): void;
  dispose(): void;
}

/** Listens to the process's signals until disposed. `force` ends the process after repeated signals. */
export function listenForInterruption(
  process: NodeJS.Process,
  { force }: { readonly force: (signal: 'SIGINT' | 'SIGTERM') => void },
): Interruption {
  const stop = new AbortController();
  const abandon = new AbortController();
  let received: 'SIGINT' | 'SIGTERM' | 'EPIPE' | undefined;
  let signals = 0;
  let signalsToForce = 2;
  let outlivesReader = false;
  let endsSomething = () => false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' && signal !== 'SIGTERM') return;
    if (signal === 'SIGINT' && endsSomething()) return;
    received ??= signal;
    signals += 1;
    if (signals >= signalsToForce) force(signal);
    stop.abort();
    if (signals >= 2) abandon.abort();
  };
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    stop: stop.signal,
    abandon: abandon.signal,
    received: () => received,
    bePatient: () => {
      signalsToForce = 3;
    },
    askFirst: (asked) => {
      endsSomething = asked;
    },
    outliveReader: () => {
      outlivesReader = true;
    },
    brokenPipe: () => {
      if (outlivesReader) return;
      received ??= 'EPIPE';
      stop.abort();
      abandon.abort();
    },
    dispose: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    },
  };
}
