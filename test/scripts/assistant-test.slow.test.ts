import { expect, it } from 'vitest';
import { assistantTest, ERAS } from '../../scripts/assistant-test/run.ts';

it('a scripted assistant finds the passage for 18 of 20 questions, for 1,500 tokens each, over both transports and eras', async () => {
  const { formats, files, rounds } = await assistantTest();
  expect(files).toBe(30);
  expect(formats.length).toBeGreaterThanOrEqual(8);
  expect(rounds.map(({ transport, version }) => `${transport} ${version}`)).toEqual(
    ['stdio', 'HTTP'].flatMap((transport) => ERAS.map((era) => `${transport} ${era}`)),
  );
  for (const { transport, era, answered } of rounds) {
    expect(answered).toHaveLength(20);
    const missed = answered.filter(({ place }) => place === undefined).map(({ question }) => question);
    expect(missed.length, `${transport} ${era}: ${missed.join('; ')}`).toBeLessThanOrEqual(2);
    const mean = answered.reduce((sum, { tokens }) => sum + tokens, 0) / answered.length;
    expect(mean, `${transport} ${era}`).toBeLessThanOrEqual(1500);
  }
}, 240_000);
