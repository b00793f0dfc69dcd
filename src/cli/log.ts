import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/variables.ts';
import { visibleLine } from './layout.ts';
import type { Output } from './output.ts';

/** For servers: JSON lines on stderr, or lines for people if that is the terminal of `output`. */
export function serverLog(level: LogLevel, output?: Output): Logger {
  const isDebugging = level === 'debug' || level === 'trace';
  const serializers = isDebugging ? {} : { err: withoutStack };
  if (output?.isInteractive) {
    const write = (line: string) => output.note(terminalLine(line, output));
    return pino({ level, base: null, redact: SECRETS, serializers }, { write });
  }
  return pino({ level, redact: SECRETS, serializers }, pino.destination({ dest: 2, sync: true }));
}

/** Sentences on stderr, for interactive commands: warnings and errors, unless debugging. */
export function commandLog(level: LogLevel, output: Output): Logger {
  const effectiveLevel = level === 'info' ? 'warn' : level;
  // pino's own serializer appends the messages of all causes, which are not meant for users.
  const serializers = { err: withoutStack };
  return pino(
    { level: effectiveLevel, base: null, redact: SECRETS, serializers },
    { write: (line) => output.note(sentence(line, output)) },
  );
}

function withoutStack(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, cause } = error;
  const code = 'code' in error ? { code: error.code } : {};
  return { type: name, ...code, message, ...(cause !== undefined && { cause: withoutStack(cause) }) };
}

const SECRETS = ['token', 'apiKey', '*.token', '*.apiKey', 'headers.authorization', '*.headers.authorization'];

interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly [field: string]: unknown;
}

function sentence(line: string, output: Output): string {
  const { level, time: _, msg, ...fields } = JSON.parse(line) as LogLine;
  if (level < WARN) return `debug: ${msg ?? ''} ${JSON.stringify(fields)}`;
  const reason = reasonOf(msg, fields.err);
  return `${severity(level, output)}${msg ?? ''}${reason === undefined ? '' : ` (${reason})`}`;
}

/** The time, what happened, and the facts about it in brackets. */
function terminalLine(line: string, output: Output): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as LogLine;
  const facts = Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const reason = reasonOf(msg, err);
  const all = [...(reason === undefined ? [] : [reason]), ...facts].join(', ');
  const clock = new Date(time).toTimeString().slice(0, 'hh:mm:ss'.length);
  const text = visibleLine(`${msg ?? ''}${all === '' ? '' : ` (${all})`}`);
  return `${output.noteStyle('dim', clock)} ${severity(level, output)}${text}`;
}

/** What the error adds to the message, which is often the error's own. */
function reasonOf(msg: string | undefined, err: LogLine['err']): string | undefined {
  return err?.message === msg ? undefined : err?.message;
}

function severity(level: number, output: Output): string {
  if (level < WARN) return '';
  return level >= ERROR ? `${output.noteStyle('red', 'error:')} ` : `${output.noteStyle('yellow', 'warning:')} `;
}

const WARN = 40;
const ERROR = 50;
