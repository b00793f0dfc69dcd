import { createReadStream } from 'node:fs';
import { ServiceError } from '../errors.ts';

export interface Line {
  /** From 1, as in editors. */
  readonly number: number;
  readonly text: string;
}

/**
 * The non-empty lines of a file. Does not use node:readline, which also breaks lines at U+2028, a character that JSON
 * may contain. Throws `invalid_request` when the file cannot be read.
 */
export async function* readLines(path: string): AsyncGenerator<Line, void> {
  let number = 0;
  let rest = '';
  const take = (line: string): Line[] => {
    number += 1;
    const text = (number === 1 ? line.replace(/^\ufeff/, '') : line).replace(/\r$/, '');
    return text.trim() === '' ? [] : [{ number, text }];
  };
  try {
    for await (const piece of createReadStream(path, { encoding: 'utf8' })) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield* take(line);
    }
    yield* take(rest);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return new ServiceError('invalid_request', `There is no file ${path}.`, { cause: error });
    case 'EISDIR':
      return new ServiceError('invalid_request', `${path} is a folder; a file is expected.`, { cause: error });
    case 'EACCES':
    case 'EPERM':
      return new ServiceError('invalid_request', `${path} may not be read by this user.`, { cause: error });
    default:
      return error;
  }
}
