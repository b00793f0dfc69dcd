import { connect as connectTo, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { ATTACH_TARGET, type Attachment, MAX_MESSAGE_BYTES, NOTE_MARK } from '../mcp/peer/attachment.ts';
import { rejectLongMessage } from '../mcp/peer/long-message.ts';
import { ANSWER_WITHIN_MS, createSessionReplay } from '../mcp/peer/session-replay.ts';
import { reserveStdout } from '../mcp/reserve-stdout.ts';
import { lineSplitter } from '../shared/line-splitter.ts';
import { readServerInfo, type ServerInfo } from '../store/server-info.ts';
import { readVersion } from '../version.ts';
import { noteForPeople } from './note-for-people.ts';

// Loaded first and often the only part of the program that runs, so it imports no packages.

/** Streams of a session that this process serves itself after the process that served it has ended. */
export interface ContinuedSession {
  readonly input: Readable;
  readonly output: Writable;
  /** Must be called when this process has connected to the data folder or has failed to. */
  releaseSuccession(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

const HANDSHAKE_MS = 10_000;
/** Time allowed for another process to acquire the data folder and start serving it. */
const RECONNECT_WITHIN_MS = 20_000;
const POLL_INTERVAL_MS = 100;

/**
 * Relays the messages of `citewell mcp` to the process that holds the data folder, which takes far less memory than
 * serving them. Resolves with `undefined` if there is no such process or it does not accept these arguments; with the
 * session if that process has ended and this one has to continue; otherwise with `ended`. Loaded by citewell.js.
 *
 * @public
 */
export async function attachMcp(
  process: NodeJS.Process,
  env: Environment,
): Promise<ContinuedSession | 'ended' | undefined> {
  // Environment files are read by the main program only.
  if ((env['CITEWELL_ENV_FILE'] ?? '').trim() !== '') return undefined;
  const given = env['CITEWELL_DATA_DIR'] ?? '';
  const folder = resolve(given.trim() === '' ? '.citewell' : given);
  const attachment: Attachment = {
    words: process.argv.slice(3),
    cwd: process.cwd(),
    env: withoutSecrets(env, process.platform),
    session: `${process.pid}-${performance.timeOrigin}`,
  };
  if ((await readServerInfo(folder))?.version === readVersion()) restartWithoutMaglev(process);
  const first = await attach(folder, attachment);
  return typeof first === 'string' ? undefined : relayMessages(process, first, () => reattach(folder, attachment));
}

/**
 * V8's Maglev compiler takes 2 MB even if it compiles almost nothing. It can only be disabled when a process starts, so
 * this process re-executes itself, which takes some 30 ms.
 */
function restartWithoutMaglev({ execve, execPath, execArgv, argv0, argv, channel, env }: NodeJS.Process): void {
  if (execve === undefined || channel || /maglev/.test(`${execArgv.join(' ')} ${env['NODE_OPTIONS'] ?? ''}`)) return;
  try {
    execve(execPath, [argv0, ...execArgv, '--no-maglev', ...argv.slice(1)], env);
  } catch {
    // execve is not permitted or not supported; the process merely takes more memory.
  }
}

interface Successor {
  release(): void;
}

/** Relays messages until the client disconnects or there is no process left to attach to. */
async function relayMessages(
  process: NodeJS.Process,
  first: Socket,
  reconnect: () => Promise<Socket | Successor>,
): Promise<ContinuedSession | 'ended'> {
  noteForPeople(process);
  const { stdin, stderr } = process;
  const output = reserveStdout(process);
  const replay = createSessionReplay();
  const note = (message: string) => stderr.write(`${message}\n`);
  const outcome = Promise.withResolvers<'ended'>();
  const end = () => outcome.resolve('ended');
  const fail = (error: Error) => {
    note(`citewell mcp: ${error.message}`);
    end();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, end);
  process.on('uncaughtException', fail);
  output.once('error', end);

  let target: Writable = first;
  const split = lineSplitter(
    (line) => {
      replay.fromClient(line);
      if (!target.write(`${line}\n`)) stdin.pause();
    },
    MAX_MESSAGE_BYTES,
    (line) => {
      const { problem, reply } = rejectLongMessage(line);
      note(`citewell mcp: ${problem}`);
      if (reply !== undefined) output.write(reply);
    },
  );
  // Requests received before the end of stdin are still answered.
  const inputEnd = Promise.withResolvers<void>();
  let inputHasEnded = false;
  const endWhenAnswered = () => inputHasEnded && !replay.isAwaited() && end();
  stdin.on('data', split).once('error', end);
  stdin.once('end', () => {
    inputHasEnded = true;
    inputEnd.resolve();
    setTimeout(end, ANSWER_WITHIN_MS).unref();
    endWhenAnswered();
  });
  stdin.once('close', () => inputHasEnded || end());

  const receive = (line: string) => {
    if (line.startsWith(NOTE_MARK)) note(JSON.parse(line.slice(NOTE_MARK.length)));
    else if (replay.fromServer(line)) output.write(`${line}\n`);
    endWhenAnswered();
  };
  const replaySession = () => {
    for (const line of replay.lines()) target.write(`${line}\n`);
  };
  for (let socket = first; ; ) {
    const lost = forward(socket, { receive, onDrained: () => stdin.resume(), output });
    if ((await Promise.race([lost, outcome.promise])) === 'ended') return exitSoon();
    // The replay keeps requests; any other message that arrives meanwhile means nothing to another process.
    target = discardingStream();
    stdin.resume();
    const next = await Promise.race([reconnect(), outcome.promise]);
    if (next === 'ended') return exitSoon();
    if (!('release' in next)) {
      socket = next;
      target = next;
      replaySession();
      continue;
    }
    for (const signal of signals) process.off(signal, end);
    process.off('uncaughtException', fail);
    const input = new PassThrough();
    target = input;
    input.on('drain', () => stdin.resume());
    replaySession();
    Promise.race([inputEnd.promise, outcome.promise]).then(() => input.end());
    return { input, output: withoutRepeated(output, receive), releaseSuccession: next.release };
  }

  function exitSoon(): 'ended' {
    // The client has gone, so a child process of this module, such as `ps`, need not be waited for.
    setTimeout(() => process.exit(), 0);
    return 'ended';
  }
}

const discardingStream = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/** Receives the lines of a connection; resolves when it is lost. */
function forward(
  socket: Socket,
  { receive, onDrained, output }: { receive(line: string): void; onDrained(): void; readonly output: Writable },
): Promise<void> {
  const lost = Promise.withResolvers<void>();
  const resume = () => socket.resume();
  output.on('drain', resume);
  const split = lineSplitter(receive);
  socket.on('data', (chunk) => {
    split(chunk);
    if (output.writableNeedDrain) socket.pause();
  });
  socket.on('drain', onDrained).once('close', () => {
    output.off('drain', resume);
    lost.resolve();
  });
  socket.resume();
  return lost.promise;
}

function withoutRepeated(output: Writable, receive: (line: string) => void): Writable {
  const split = lineSplitter(receive);
  const filtered = new Writable({
    write(chunk: Buffer, _encoding, done) {
      split(chunk);
      if (output.writableNeedDrain) output.once('drain', () => done());
      else done();
    },
  });
  output.once('error', (error) => filtered.destroy(error));
  // Nothing else listens until the program is loaded; the error has ended the session then, and with it the input.
  filtered.on('error', () => {});
  return filtered;
}

/** After a lost connection: the next process to attach to, or the right to open the data folder in this one. */
async function reattach(folder: string, attachment: Attachment): Promise<Socket | Successor> {
  const giveUpAt = performance.now() + RECONNECT_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const found = await attach(folder, attachment);
    if (found === 'refused') break;
    if (found !== 'absent') return found;
    const successor = await claimSuccession(folder);
    if (successor !== undefined) return successor;
    // Jitter, so that waiting processes do not all retry at the same moment.
    await new Promise((done) => setTimeout(done, POLL_INTERVAL_MS * (0.5 + Math.random())));
  }
  return { release: () => {} };
}

/** Claims the right to open the folder next; undefined while another process holds it or is about to open it. */
async function claimSuccession(folder: string): Promise<Successor | undefined> {
  const { LOCK_FILE, SUCCESSOR_FILE, takeLock } = await import('../store/folder-lock.ts');
  try {
    const successor = takeLock(join(folder, SUCCESSOR_FILE));
    if (successor === undefined) return undefined;
    const lock = takeLock(join(folder, LOCK_FILE));
    lock?.release();
    // Since `attach` found no process, another one may have opened the folder and released the successor lock.
    if (lock !== undefined && (await readServerInfo(folder)) === undefined) return successor;
    successor.release();
    return undefined;
  } catch {
    // The main program reports what is wrong with the folder.
    return { release: () => {} };
  }
}

async function attach(folder: string, attachment: Attachment): Promise<Socket | 'absent' | 'refused'> {
  const info = await readServerInfo(folder);
  if (info === undefined) return 'absent';
  // Another version may have other tools.
  if (info.version !== readVersion()) return 'refused';
  return handshake(info, attachment);
}

async function handshake({ url, token }: ServerInfo, attachment: Attachment): Promise<Socket | 'absent' | 'refused'> {
  const { hostname, port } = new URL(url);
  const socket = connectTo({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 80 : port) });
  const { promise, resolve } = Promise.withResolvers<'accepted' | 'absent' | 'refused'>();
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf(HEAD_END);
    if (end === -1) return;
    socket.off('data', onData).pause();
    socket.unshift(received.subarray(end + HEAD_END.length));
    resolve(/^HTTP\/1\.1 200 /.test(received.toString('latin1', 0, end)) ? 'accepted' : 'refused');
  };
  // An error is followed by "close".
  socket.on('error', () => {}).once('close', () => resolve('absent'));
  socket.on('data', onData).setTimeout(HANDSHAKE_MS, () => socket.destroy());
  const head = `CONNECT ${ATTACH_TARGET} HTTP/1.1\r\nHost: ${ATTACH_TARGET}\r\nAuthorization: Bearer ${token}${HEAD_END}`;
  socket.write(`${head}${JSON.stringify(attachment)}\n`);
  const outcome = await promise;
  socket.setTimeout(0);
  if (outcome === 'accepted') return socket;
  socket.destroy();
  return outcome;
}

const HEAD_END = '\r\n\r\n';

/** Variables from which settings are read. Secrets are masked but keep their length; URLs lose their credentials. */
export function withoutSecrets(env: Environment, platform: NodeJS.Platform): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [given, value = ''] of Object.entries(env)) {
    // Windows calls it `Path` and ignores case, but the other process reads the names from a plain object.
    const name = platform === 'win32' && /^path$/i.test(given) ? 'PATH' : given;
    if (!/^CITEWELL_|^CHROMA_|_(?:API_KEY|URL)$|^PATH$/.test(name)) continue;
    // Its JSON may contain secrets, and the other process does not need it.
    if (name === 'CITEWELL_MCP_SERVERS') continue;
    const isSecret = /_(?:KEYS?|SECRET|PASSWORD|TOKEN)$/.test(name);
    kept[name] = isSecret ? value.replace(/[^,\s]/g, 'x') : value.replace(/\/\/[^/@\s]*@/g, '//');
  }
  return kept;
}
