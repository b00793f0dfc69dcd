import { type RunningServer, startCitewell } from '../../test/support/run-citewell.ts';
import type { Fault } from './fault.ts';
import { sentenceOf } from './trial.ts';

/** Two services on one data folder: the first opens it, the second refuses and names the process of the first. */
export const twoServers: Fault = {
  name: 'two-servers',
  title: 'more than one server is started on one folder',
  async run(trial) {
    const first = await trial.start();
    await trial.add(trial.isShort ? 4 : 20);

    const second = await trial.command(['serve', '--port', '0']);
    const expected = `in use by the server at ${first.url} (process ${first.pid})`;
    trial.check(
      'the second server says which one has the folder',
      second.code === 0 && 'It ended with 0.',
      !second.stderr.includes(expected) && second.stderr,
    );
    const added = await trial.add(2);
    trial.check('the first is not disturbed', ...added.refused.map(sentenceOf), ...added.unanswered);
    await trial.stop('SIGKILL');

    const started: RunningServer[] = [];
    const refusals: string[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        try {
          started.push(await startCitewell({ cwd: trial.folder, startWithinMs: 90_000 }));
        } catch (error) {
          refusals.push(String(error));
        }
      }),
    );
    trial.check(
      'of four that start at once after a kill, one gets the folder',
      started.length !== 1 && `${started.length} did.`,
      ...refusals.map((refusal) => !/in use by (the server at|process|another process)/.test(refusal) && refusal),
    );
    for (const server of started) await server.end('SIGTERM');
    await trial.start();
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};
