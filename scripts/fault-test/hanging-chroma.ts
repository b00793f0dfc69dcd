import { setTimeout as sleep } from 'node:timers/promises';
import { member } from '../kill-test/api.ts';
import { chromasOn, within } from '../kill-test/processes.ts';
import type { Fault } from './fault.ts';
import { sentenceOf } from './trial.ts';

const ANSWERED_WITHIN_MS = 20_000;
const ENDS_WITHIN_MS = 8_000;
/** After SIGTERM, requests may take CITEWELL_STOP_SECONDS (20 by default) to finish. */
const STOPS_WITHIN_MS = 20_000 + ENDS_WITHIN_MS;

/** A Chroma that keeps connections open without answering, as when swapped out or stuck. */
export const hangingChroma: Fault = {
  name: 'hanging-chroma',
  title: 'the embedded Chroma is stopped (SIGSTOP) while documents come in and are searched for',
  async run(trial) {
    const { api, dataFolder, isShort } = trial;
    await trial.start();
    await trial.add(isShort ? 6 : 30);
    await trial.checkRecovered();

    const stopped = await pauseChroma(dataFolder);
    const searching = Array.from({ length: 4 }, async () => {
      const startedAt = performance.now();
      const { status } = await api.search('the harbour of the island', { leg: 'semantic', limit: 5 });
      return { status, milliseconds: performance.now() - startedAt };
    });
    const added = await trial.add(isShort ? 3 : 10);
    trial.check('documents are taken in while Chroma hangs', ...added.refused.map(sentenceOf), ...added.unanswered);
    const searches = await Promise.all(searching);
    const late = Math.max(added.slowestMs, ...searches.map(({ milliseconds }) => milliseconds));
    trial.check(
      'searches are answered while Chroma hangs',
      ...searches.map(({ status }) => status !== 200 && `A search was answered ${status}.`),
      late > ANSWERED_WITHIN_MS && `A request took ${late} ms.`,
    );
    const index = member(member((await api.health()).body, 'results'), 'index');
    trial.check('the state of the index says so', member(index, 'state') === 'ready' && JSON.stringify(index));
    await trial.checkNothingLost();

    resume(stopped);
    await trial.checkRecovered();
    await trial.checkNothingLost();

    await pauseChroma(dataFolder);
    const cutOff = [api.search('the ferry', { leg: 'semantic', limit: 5 }), trial.add(1)].map((each) =>
      each.catch(() => undefined),
    );
    await sleep(200);
    const { milliseconds } = await trial.stop();
    await Promise.all(cutOff);
    trial.check(
      'SIGTERM ends it although Chroma hangs',
      milliseconds > STOPS_WITHIN_MS && `It took ${milliseconds} ms.`,
    );
    const left = await chromasOn(dataFolder);
    trial.check('the hanging Chroma ends with it', ...left.map(({ pid }) => `Process ${pid} is still there.`));
    resume(left.map(({ pid }) => pid));
    await trial.start();
    await trial.checkRecovered();
    await trial.checkNothingLost();

    const orphaned = await pauseChroma(dataFolder);
    await trial.stop('SIGKILL');
    await within(ENDS_WITHIN_MS, async () => (await chromasOn(dataFolder)).length === 0);
    const outlived = await chromasOn(dataFolder);
    trial.check(
      'the hanging Chroma ends with a service that is killed',
      ...outlived.map(({ pid }) => `Process ${pid} is still there.`),
    );
    resume(orphaned);
    await trial.start();
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};

async function pauseChroma(dataFolder: string): Promise<number[]> {
  const pids = (await chromasOn(dataFolder)).map(({ pid }) => pid);
  if (pids.length === 0) throw new Error('There is no Chroma to stop.');
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return pids;
}

function resume(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The service has already killed this Chroma and started a new one.
    }
  }
}
