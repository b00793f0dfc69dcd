import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const APP = fileURLToPath(new URL('../../src/page/app', import.meta.url));

/** The view of a file, or "shared". The styles of a view stay in force when another view is shown. */
const viewOf = (path: string): string => /views[\\/]([^\\/]+)/.exec(path)?.[1] ?? 'shared';

it('each class is styled by one view only, so that a view looks the same whichever was shown before', () => {
  const views = new Map<string, Set<string>>();
  for (const path of readdirSync(APP, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.css')) continue;
    const style = readFileSync(join(APP, path), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    for (const [, selectors = ''] of style.matchAll(/([^{}]+)\{/g)) {
      for (const [, name = ''] of selectors.matchAll(/(?:^|,)\s*\.([\w-]+)/g)) {
        views.set(name, (views.get(name) ?? new Set<string>()).add(viewOf(path)));
      }
    }
  }
  expect([...views.keys()]).toContain('source-tabs');
  const shared = [...views]
    .filter(([, users]) => users.size > 1)
    .map(([name, users]) => `${name}: ${[...users].join(', ')}`);
  expect(shared).toEqual([]);
});
