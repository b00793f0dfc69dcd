import type { Fault } from './fault.ts';
import { hasCommand } from './has-command.ts';
import { holdConnections } from './hold-connections.ts';
import { sentenceOf } from './trial.ts';

/** A service at rest has 43 open; each further thread opens five, and a process that reads documents four. */
const DESCRIPTORS = 96;

/** A service with few file descriptors, and clients that use up all of them. */
export const fewDescriptors: Fault = {
  name: 'few-descriptors',
  title: `the service may open ${DESCRIPTORS} files and connections`,
  absence: async () => ((await hasCommand('prlimit')) ? undefined : 'there is no prlimit'),
  async run(trial) {
    const { api } = trial;
    await trial.start({ via: ['prlimit', `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`] });
    await trial.add(trial.isShort ? 6 : 20);

    const held = await holdConnections(trial.server().url, 200);
    trial.check('it still runs when all descriptors are taken', held.connected === 0 && 'No connection was taken.');
    await held.close();

    const added = await trial.add(trial.isShort ? 4 : 20);
    trial.check('it goes on once connections are free', ...added.refused.map(sentenceOf), ...added.unanswered);
    const { status } = await api.search('the harbour', { leg: 'full_text', limit: 5 });
    trial.check('it is searched again', status !== 200 && `It was answered ${status}.`);
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};
