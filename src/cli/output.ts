import { styleText } from 'node:util';
import { throttledLine } from './throttled-line.ts';

type Style = Parameters<typeof styleText>[0];

/** Output of a command. Results go to `print` (stdout); progress and notes go to `note` (stderr). */
export interface Output {
  /** A line of the result. */
  print(line?: string): void;
  /** A part of a line, for streamed text. */
  write(text: string): void;
  /** A line for people. */
  note(line?: string): void;
  /** Rewrites the last line of stderr; without a terminal, writes one occasionally. An empty line ends a stage. */
  status(line: string): void;
  /** For stdout; returns the text unchanged if colours are disabled. */
  style(style: Style, text: string): string;
  /** For stdout: the text as a link; unchanged without a URL or on a terminal that does not support links. */
  link(text: string, url: string | undefined): string;
  /** For stderr. */
  noteStyle(style: Style, text: string): string;
  /** Whether stderr is a terminal, so that a progress bar makes sense. */
  readonly isInteractive: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

const DEFAULT_WIDTH = 100;

/** An Output over the process's streams. `NO_COLOR`, `FORCE_COLOR` and pipes are honoured by `styleText`. */
export function processOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Output {
  let hasStatus = false;
  const report = throttledLine((line) => stderr.write(`${line}\n`));
  const clearStatus = () => {
    if (hasStatus) stderr.write('\r\u001b[K');
    hasStatus = false;
  };
  return {
    print: (line = '') => {
      clearStatus();
      stdout.write(`${line}\n`);
    },
    write: (text) => {
      clearStatus();
      stdout.write(text);
    },
    note: (line = '') => {
      clearStatus();
      stderr.write(`${line}\n`);
    },
    status: (line) => {
      if (!stderr.isTTY) {
        report(line);
        return;
      }
      clearStatus();
      stderr.write(line);
      hasStatus = line !== '';
    },
    style: (style, text) => styleText(style, text, { stream: stdout }),
    link: (text, url) =>
      url === undefined || !canLink(stdout) ? text : `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`,
    noteStyle: (style, text) => styleText(style, text, { stream: stderr }),
    isInteractive: stderr.isTTY === true,
    get width() {
      // Terminals that do not know their width report 0.
      return stderr.columns || stdout.columns || DEFAULT_WIDTH;
    },
  };
}

/** Whether stdout is a terminal with escape sequences. Dumb terminals and those without colours have a depth of 1. */
const canLink = (stdout: NodeJS.WriteStream): boolean => stdout.isTTY === true && stdout.getColorDepth() > 1;

/** Ends the process quietly when the reader of its output has gone, as in `citewell search … | head`. */
export function endOnBrokenPipe(stream: NodeJS.WriteStream, end: () => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') end();
    else throw error;
  });
}
