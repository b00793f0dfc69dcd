/** How the user asks a command to end. */
export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM, or when nobody reads the output any more. */
  readonly stop: AbortSignal;
  /** Aborted by the second one of a patient command: give up what is in flight. */
  readonly abandon: AbortSignal;
  readonly received: () => 'SIGINT' | 'SIGTERM' | 'EPIPE' | undefined;
  /** This command finishes what it has in hand after the first signal, so the process is ended by the third only. */
  bePatient(): void;
  /** Asks first whether Ctrl-C ended something smaller than the command; true means that it did. */
  askFirst(endsSomething: () => boolean): void;
  /** This command goes on when nobody reads its output any more. */
  outliveReader(): void;
  /** The reader of stdout has gone. */
  brokenPipe(): void;
  dispose(): void;
}

/** Listens to the process's signals until disposed. `force` ends the process when the user's patience has run out. */
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
