import { ServiceError } from '../errors.ts';
import { onAbort } from '../shared/abort.ts';
import { readInput } from './read-input.ts';

const MAX_PIPED_BYTES = 1_000_000;

export interface PasswordParts {
  readonly input: NodeJS.ReadStream;
  /** Where the prompt is shown; typed characters are not echoed. */
  readonly echo: NodeJS.WriteStream;
  /** Whether the whole input is the password, except for a final line break. */
  readonly isPiped: boolean;
  readonly stop: AbortSignal;
  /** What it is called in prompts and messages; `password` by default. */
  readonly word?: 'password' | 'passphrase';
  /** False for an existing password, which is typed only once. */
  readonly isNew?: boolean;
}

/** Reads a password from a person, who types it twice, or from a pipe. Throws `invalid_request` if there is none. */
export async function readPassword(parts: PasswordParts): Promise<string> {
  const { input, echo, isPiped, word = 'password', isNew = true } = parts;
  // At a terminal, a password is asked for even so: reading a stream would show it.
  if (isPiped && input.isTTY !== true) return readSecret(word, parts);
  if (input.isTTY !== true || echo.isTTY !== true) {
    throw new ServiceError(
      'invalid_request',
      `A ${word} prompt needs a terminal; pass the ${word} with --${word}-stdin.`,
    );
  }
  const first = await typed(word === 'password' ? 'Password: ' : 'Passphrase: ', parts);
  if (!isNew) return first;
  const second = await typed('Repeat: ', parts);
  if (first === second) return first;
  throw new ServiceError('invalid_request', `The ${word}s differ; nothing was changed.`);
}

/** Reads a secret that is piped in. */
export async function readSecret(
  word: string,
  { input, stop }: Pick<PasswordParts, 'input' | 'stop'>,
): Promise<string> {
  const tooLong = () => new ServiceError('invalid_request', `Stdin is too long for a ${word}.`);
  const bytes = await readInput(input, { stop, maxBytes: MAX_PIPED_BYTES, tooLong });
  return new TextDecoder().decode(bytes).replace(/\r?\n$/, '');
}

const ENTER = new Set(['\r', '\n', '\u0004']);
const ERASE = new Set(['\u007f', '\b']);
const CTRL_C = '\u0003';

/** Reads a line without echoing it. */
async function typed(prompt: string, { input, echo, stop }: PasswordParts): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const cancel = () => reject(new ServiceError('cancelled', 'Interrupted; nothing was changed.'));
  let line: string[] = [];
  const take = (piece: string) => {
    for (const key of piece) {
      // In raw mode, Ctrl-C raises no signal. With one, the command ends as it does at any other time.
      if (key === CTRL_C) return void process.emit('SIGINT', 'SIGINT');
      if (ENTER.has(key)) return resolve(line.join(''));
      if (ERASE.has(key)) line = line.slice(0, -1);
      else if (key >= ' ') line.push(key);
    }
  };
  echo.write(prompt);
  input.setEncoding('utf8').setRawMode(true).on('data', take).resume();
  const stopListening = onAbort(stop, cancel);
  try {
    return await promise;
  } finally {
    stopListening();
    input.off('data', take).setRawMode(false).pause();
    echo.write('\n');
  }
}
