import { expect, it } from 'vitest';
import { shareVerification } from '../../../../src/store/sql/index-sync/share-verification.ts';
import type { RemovedChunks } from '../../../../src/store/sql/index-sync/verify-removal.ts';

const removal = (key: number): RemovedChunks => ({
  keys: [key],
  samples: [{ key, text: `Text ${key}`, vector: undefined }],
});

/** A verification that ends when told to, and records what it was asked to verify, and with how much patience. */
function scripted(outcomeOf: (keys: readonly number[]) => 'confirmed' | 'pending' | 'left' | 'fails') {
  const calls: { keys: readonly number[]; samples: number; patienceMs: number }[] = [];
  const verify = shareVerification(async ({ keys, samples }, patienceMs) => {
    calls.push({ keys, samples: samples.length, patienceMs });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const outcome = outcomeOf(keys);
    if (outcome === 'fails') throw new Error('The database is gone.');
    const state = outcome === 'pending' ? ('pending' as const) : ('confirmed' as const);
    const verified = outcome === 'pending' ? ('pending' as const) : outcome === 'confirmed';
    return { index: { removed: keys.length, state }, verified };
  });
  return { verify, calls };
}

it('verifies removals together that arrive while another one is verified, and answers each with its own number', async () => {
  const { verify, calls } = scripted(() => 'confirmed');
  const answers = await Promise.all(Array.from({ length: 30 }, (_, key) => verify(removal(key))));
  expect(answers).toEqual(
    Array.from({ length: 30 }, () => ({ index: { removed: 1, state: 'confirmed' }, verified: true })),
  );
  expect(calls.map(({ keys }) => keys.length)).toEqual([1, 29]);
  expect(calls[1]?.samples).toBeLessThanOrEqual(6);
});

it('verifies each alone if something is left of one of them', async () => {
  const { verify } = scripted((keys) => (keys.includes(3) ? 'left' : 'confirmed'));
  const answers = await Promise.all(Array.from({ length: 5 }, (_, key) => verify(removal(key))));
  expect(answers.map(({ verified }) => verified)).toEqual([true, true, true, false, true]);
});

it('rejects the verification that failed, and goes on with the others', async () => {
  const { verify } = scripted((keys) => (keys.includes(2) ? 'fails' : 'confirmed'));
  const answers = await Promise.allSettled([0, 1, 2, 3].map((key) => verify(removal(key))));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  await expect(verify(removal(4))).resolves.toMatchObject({ verified: true });
});

it('waits a short time only while the index does not keep up', async () => {
  let isBehind = true;
  const { verify, calls } = scripted(() => (isBehind ? 'pending' : 'confirmed'));
  await verify(removal(1));
  expect(await verify(removal(2))).toMatchObject({ index: { state: 'pending' }, verified: 'pending' });
  isBehind = false;
  await verify(removal(3));
  await verify(removal(4));
  expect(calls.map(({ patienceMs }) => patienceMs)).toEqual([2_000, 50, 50, 2_000]);
});
