import type { Fault } from './fault.ts';
import { holdConnections } from './hold-connections.ts';
import { sentenceOf } from './trial.ts';

/** Clients that open a connection, send one request and never disconnect. */
export const manyConnections: Fault = {
  name: 'many-connections',
  title: '2,000 connections are held open while documents come in',
  async run(trial) {
    const count = trial.isShort ? 800 : 2_000;
    await trial.start();
    await trial.add(trial.isShort ? 4 : 20);
    const held = await holdConnections(trial.server().url, count);
    trial.check(`${count} connections are answered`, held.connected < count && `${held.connected} were.`);
    const added = await trial.add(trial.isShort ? 4 : 20);
    trial.check('documents are taken in beside them', ...added.refused.map(sentenceOf), ...added.unanswered);
    const searches = await Promise.all(
      Array.from({ length: 100 }, () => trial.api.search('the harbour', { leg: 'semantic', limit: 5 })),
    );
    trial.check('searches are answered', ...searches.map(({ status }) => status !== 200 && String(status)));
    await held.close();
    await trial.checkRecovered();
    await trial.checkNothingLost();
  },
};
