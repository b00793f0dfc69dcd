import './build-first.js';
import { readFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { openSandbox } from './open-sandbox.ts';

/**
 * `node scripts/check-python.ts FILE...` runs the programs of JSON Lines files in the sandbox, each in a new
 * interpreter, and compares their output. A line has `id`, `code`, and either `stdout` or `last`, the last line
 * printed.
 */
const program = z.object({
  id: z.string(),
  code: z.string(),
  stdout: z.string().nullish(),
  last: z.string().nullish(),
});

const sandbox = await openSandbox();
const limit = pLimit(sandbox.limits.slots);
const { signal } = new AbortController();
for (const file of process.argv.slice(2)) {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const startedAt = performance.now();
  const failures = await Promise.all(lines.map((line) => limit(() => check(program.parse(JSON.parse(line))))));
  const wrong = failures.filter((failure) => failure !== undefined);
  for (const failure of wrong) console.log(failure);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${file}: ${lines.length - wrong.length} of ${lines.length} as expected, in ${seconds} s`);
  if (wrong.length > 0) process.exitCode = 1;
}
await sandbox.close();

async function check({ id, code, stdout, last }: z.output<typeof program>): Promise<string | undefined> {
  const result = await sandbox.run({ code, inputs: {}, files: [], milliseconds: 60_000 }, signal);
  if (result.end !== 'finished') return `${id}: ${result.end} ${result.error?.traceback ?? result.error?.message}`;
  const printed = result.stdout.text;
  if (stdout != null && printed !== stdout) return `${id}: printed ${JSON.stringify(printed.slice(0, 200))}`;
  if (last != null && printed.trimEnd().split('\n').at(-1) !== last)
    return `${id}: ended with ${JSON.stringify(printed.slice(-200))}`;
  return undefined;
}
