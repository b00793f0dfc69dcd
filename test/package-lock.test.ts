import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

const lockFile = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
});

it('the lock file contains the packages of every platform, which a clean install needs', () => {
  const { packages } = lockFile.parse(
    JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')),
  );
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const wanted = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});
