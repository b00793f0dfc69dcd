import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createServerLink, type ServerAddress } from '../../src/cli/server-link.ts';
import { shareStore } from '../../src/store/share-store.ts';

/** Simulates a process that holds the data folder and answers requests. */
async function startOwner(
  answer: RequestListener,
): Promise<ServerAddress & { asked(): number; stop(): Promise<void> }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, token: url, isLasting: true, asked: () => asked, stop };
}

const answers =
  (value: unknown): RequestListener =>
  (_request, response) =>
    response.end(JSON.stringify(value));
const breaksOff: RequestListener = (_request, response) => response.destroy();
const streams =
  (text: string): RequestListener =>
  (_request, response) =>
    response.end(text);

/** A link to these owners in turn: the next one is found when the previous one is lost. */
function linkTo(...owners: ServerAddress[]) {
  const left = [...owners];
  return createServerLink(
    shareStore({
      find: async () => (left.length > 1 ? left.shift() : left[0]),
      open: () => Promise.reject(new Error('Nothing is to be opened here.')),
    }),
  );
}

it('a request is retried with the next process when the one that held the data folder has ended', async () => {
  const gone = await startOwner(answers('never'));
  const link = linkTo(gone, await startOwner(answers('here')));
  await link.address();
  await gone.stop();
  expect(await link.ask({ method: 'POST', path: '/x' })).toBe('here');
});

it('a request that the lost process may have executed is repeated only when it is idempotent', async () => {
  const other = await startOwner(answers('here'));
  const link = linkTo(await startOwner(breaksOff), other);
  await expect(link.ask({ method: 'POST', path: '/x' })).rejects.toMatchObject({ code: 'store_failed' });
  expect(other.asked()).toBe(0);
  const again = linkTo(await startOwner(breaksOff), other);
  expect(await again.ask({ method: 'POST', path: '/x', isRepeatable: true })).toBe('here');
});

it('retries with a process that is still alive are limited', async () => {
  const broken = await startOwner(breaksOff);
  await expect(linkTo(broken).ask({ method: 'GET', path: '/x' })).rejects.toMatchObject({ code: 'store_failed' });
  expect(broken.asked()).toBe(1);
});

it('a stream is restarted with another process only before its first event', async () => {
  const whole = await startOwner(streams('event: message\ndata: 2\n\nevent: done\ndata: [DONE]\n\n'));
  const collect = async (first: ServerAddress) => {
    const events: unknown[] = [];
    const stream = linkTo(first, whole).stream({ method: 'POST', path: '/x', isRepeatable: true });
    try {
      for await (const { data } of stream) events.push(data);
    } catch (error) {
      events.push((error as { code: string }).code);
    }
    return events;
  };
  expect(await collect(await startOwner(breaksOff))).toEqual([2]);
  expect(await collect(await startOwner(streams('event: message\ndata: 1\n\n')))).toEqual([1, 'store_failed']);
});
