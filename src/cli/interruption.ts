/** How the user asks a command to end. */
export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM, or when the output's reader has gone. */
  readonly stop: AbortSignal;
  /** Aborted by the second signal of a patient command: cancel work in progress. */
  readonly abandon: AbortSignal;
  readonly received: () => 'SIGINT' | 'SIGTERM' | 'EPIPE' | undefined;
  /** The command finishes its work after the first signal; only the third one ends the process. */
  finishFirst(): void;
  /** Calls `handled` on each Ctrl-C first; if it ended something smaller than the command, it returns true. */
  handleFirst(handled: () => boolean): void;
  /** Lets the command continue when its output is no longer read. */
  ignoreBrokenPipe(): void;
  /** To be called when the reader of the output has gone. */
  onBrokenPipe(): void;
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
  let ignoresBrokenPipe = false;
  let handled = () => false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' && signal !== 'SIGTERM') return;
    if (signal === 'SIGINT' && handled()) return;
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
    finishFirst: () => {
      signalsToForce = 3;
    },
    handleFirst: (handler) => {
      handled = handler;
    },
    ignoreBrokenPipe: () => {
      ignoresBrokenPipe = true;
    },
    onBrokenPipe: () => {
      if (ignoresBrokenPipe) return;
      received ??= 'EPIPE';
      stop.abort();
      abandon.abort();
    },
    dispose: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    },
  };
}
