import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { sentenceOf } from './trial.ts';

const PATIENCE_SECONDS = 4;
const DRIP_EVERY_MS = 500;
const GONE_WITHIN_MS = 15_000;

/** Requests that arrive byte by byte, to exhaust the server's connections and memory (slowloris). */
export const slowUploads: Fault = {
  name: 'slow-uploads',
  title: '500 requests arrive a byte at a time',
  async run(trial) {
    const count = trial.isShort ? 200 : 500;
    await trial.start({ env: { CITEWELL_REQUEST_SECONDS: String(PATIENCE_SECONDS) } });
    await trial.add(trial.isShort ? 4 : 20);
    const { url } = trial.server();
    const answers = Promise.all(Array.from({ length: count }, () => drip(url)));
    await sleep(DRIP_EVERY_MS);
    const added = await trial.add(trial.isShort ? 4 : 20);
    trial.check('others are served beside them', ...added.refused.map(sentenceOf), ...added.unanswered);
    const odd = (await answers).filter((answer) => !answer.startsWith('HTTP/1.1 408'));
    trial.check('each is cut off with 408', ...odd.map((answer) => `"${answer}"`));
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};

/** Sends a request byte by byte and returns the status line of the response. */
async function drip(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  // A byte that crosses the end of the connection is answered by a reset, after the response has arrived.
  socket.on('error', () => socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST /v3/retrieval/search HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 10000\r\n\r\n{`);
  const dripping = setInterval(() => socket.writable && socket.write(' '), DRIP_EVERY_MS);
  const isOver = new AbortController();
  await Promise.race([closed, sleep(GONE_WITHIN_MS, undefined, { signal: isOver.signal }).catch(() => undefined)]);
  isOver.abort();
  clearInterval(dripping);
  socket.destroy();
  return answer.split('\r\n')[0] ?? '';
}
