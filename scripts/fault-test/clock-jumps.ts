import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import { sentenceOf } from './trial.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JUMPS = {
  'an hour ahead': HOUR_MS,
  'two days back': -2 * DAY_MS,
  'ten years ahead': 3_652 * DAY_MS,
  'right again': 0,
};
/** Longer than the interval at which the clock reads its file. */
const NOTICED_MS = 100;

/** The system clock jumps while the service runs, as after sleep or a late NTP synchronisation. */
export const clockJumps: Fault = {
  name: 'clock-jumps',
  title: 'the clock jumps ahead and back while the service runs, and between two starts',
  async run(trial) {
    const clock = join(trial.folder, 'clock');
    await writeFile(clock, '0');
    const preload = new URL('./shift-clock.js', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import=${preload}`, FAULT_TEST_CLOCK: clock };
    await trial.start({ env });
    await trial.add(trial.isShort ? 4 : 20);
    for (const [how, offset] of Object.entries(JUMPS)) {
      const upload = beginUpload(trial.server().url);
      await sleep(NOTICED_MS);
      await writeFile(clock, String(offset));
      await sleep(7 * NOTICED_MS);
      const status = await upload.finish();
      trial.check(
        `a request under way is not cut off (${how})`,
        !/ 20\d /.test(status) && `It was answered "${status}".`,
      );
      const added = await trial.add(3);
      trial.check(`documents are taken in (${how})`, ...added.refused.map(sentenceOf), ...added.unanswered);
      await trial.removeLast();
      await trial.checkRecovered();
      await trial.checkNothingLost();
      if (trial.isShort && offset > 0) continue;
      await trial.stop();
      await trial.start({ env });
      await trial.checkRecovered();
      await trial.checkNothingLost();
    }
  },
};

const BODY = JSON.stringify({ query: 'the harbour' });

/** Starts a search whose request body arrives in two parts. */
function beginUpload(url: string): { finish(): Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()).on('error', () => resolve()));
  socket.write(
    `POST /v3/retrieval/search HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(BODY)}\r\n\r\n${BODY.slice(0, 5)}`,
  );
  return {
    async finish() {
      if (socket.writable) socket.write(BODY.slice(5));
      await ended;
      return answer.slice(0, answer.indexOf('\r\n'));
    },
  };
}
