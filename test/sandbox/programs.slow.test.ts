import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox } from '../../scripts/open-sandbox.ts';
import { combinatoricsPrograms } from './programs/combinatorics.ts';
import { datesPrograms } from './programs/dates.ts';
import { languagePrograms } from './programs/language.ts';
import { numbersPrograms } from './programs/numbers.ts';
import { parsingPrograms } from './programs/parsing.ts';
import { servicesPrograms } from './programs/services.ts';
import { simulationPrograms } from './programs/simulation.ts';
import { statisticsPrograms } from './programs/statistics.ts';
import { textPrograms } from './programs/text.ts';

const categories = {
  statistics: statisticsPrograms,
  dates: datesPrograms,
  parsing: parsingPrograms,
  text: textPrograms,
  numbers: numbersPrograms,
  combinatorics: combinatoricsPrograms,
  simulation: simulationPrograms,
  'the language': languagePrograms,
  'the library': servicesPrograms,
};

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
beforeAll(async () => {
  sandbox = await openSandbox({ slots: 2, milliseconds: 60_000 });
});
afterAll(() => sandbox.close());

const { signal } = new AbortController();

it('the test has enough programs', () => {
  expect(Object.values(categories).flat().length).toBeGreaterThanOrEqual(150);
});

describe.each(Object.entries(categories))('the sandbox runs Python as CPython does: %s', (session, programs) => {
  it.each(programs)('$name', async ({ code, value, prints = '' }) => {
    const result = await sandbox.run({ code, inputs: {}, files: [], session }, signal);
    expect(result.end, result.error?.traceback).toBe('finished');
    expect(result.value?.repr).toBe(value);
    expect(result.stdout.text).toBe(prints);
  });
});
