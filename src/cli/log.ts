import { type Logger, pino } from 'pino';
import type { LogLevel } from '../config/variables.ts';
import type { Output } from './output.ts';

/** JSON lines on stderr, for servers. */
export function serverLog(level: LogLevel): Logger {
  const isDebugging = level === 'debug' || level === 'trace';
  const serializers = isDebugging ? {} : { err: withoutStack };
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

function sentence(line: string, output: Output): string {
  const {
    level,
    time: _,
    msg,
    ...fields
  } = JSON.parse(line) as { level: number; msg?: string; [field: string]: unknown };
  if (level < WARN) return `debug: ${msg ?? ''} ${JSON.stringify(fields)}`;
  const word = level >= ERROR ? output.noteStyle('red', 'error:') : output.noteStyle('yellow', 'warning:');
  const error = fields['err'] as { message?: string } | undefined;
  return `${word} ${msg ?? ''}${error?.message === undefined ? '' : ` (${error.message})`}`;
}

const WARN = 40;
const ERROR = 50;
