import { createInterface } from 'node:readline';
import { onAbort } from '../shared/abort.ts';

/** Lines typed by a person or read from a pipe. */
export interface LineInput {
  /** Whether a person is typing. */
  readonly isInteractive: boolean;
  /** The next line; undefined at the end of the input. */
  next(prompt: string): Promise<string | undefined>;
  close(): void;
}

export interface LineInputParts {
  readonly input: NodeJS.ReadStream;
  /** Where prompts and typed text are shown. */
  readonly echo: NodeJS.WriteStream;
  /**
   * Handles Ctrl-C in a terminal, which raises no signal while lines are read. Returns true if it ended something.
   */
  readonly onInterrupt: () => boolean;
  /** Ends the input. */
  readonly stop: AbortSignal;
}

/** Reads lines continuously, so that Ctrl-C is noticed and typed-ahead text is kept. */
export function lineInput({ input, echo, onInterrupt, stop }: LineInputParts): LineInput {
  const isInteractive = input.isTTY === true && echo.isTTY === true;
  const lines = createInterface({ input, output: echo, terminal: isInteractive });
  const waiting: string[] = [];
  let isClosed = false;
  let wake = () => {};
  lines.on('line', (line) => {
    waiting.push(line);
    wake();
  });
  lines.on('close', () => {
    isClosed = true;
    wake();
  });
  const close = () => lines.close();
  const stopListening = onAbort(stop, close);
  lines.on('SIGINT', () => {
    if (onInterrupt()) return;
    echo.write('\n(Ctrl-D or /exit leaves)\n');
    lines.write(null, { ctrl: true, name: 'u' });
    lines.prompt();
  });
  return {
    isInteractive,
    async next(prompt) {
      if (isInteractive && waiting.length === 0 && !isClosed) {
        lines.setPrompt(prompt);
        lines.prompt();
      }
      while (waiting.length === 0 && !isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return stop.aborted ? undefined : waiting.shift();
    },
    close: () => {
      stopListening();
      close();
    },
  };
}
