import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface SuiteOptions {
  /** The checkout of R2R, absolute. */
  readonly checkout: string;
  /** Whether the server gets a language model, which plays scripted replies. */
  readonly hasModel: boolean;
  /** Where the suite's own packages are installed; kept and used again. Undefined means a temporary folder. */
  readonly toolsFolder: string | undefined;
  /** Only the test files whose names contain this. */
  readonly only: string | undefined;
  /** How long one test may take, in seconds, where the suite sets a limit. Undefined means the suite's own. */
  readonly testSeconds: number | undefined;
}

/** Reads the command line of a suite script. `needed` is a path that a checkout of R2R has. */
export async function readSuiteOptions(script: string, needed: string): Promise<SuiteOptions> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'scripted-model': { type: 'boolean', default: false },
      tools: { type: 'string' },
      only: { type: 'string' },
      'test-seconds': { type: 'string' },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    throw new Error(
      `Usage: npm run ${script} -- PATH_OF_R2R_CHECKOUT [--scripted-model] [--only PART_OF_FILE_NAME] [--test-seconds N] [--tools FOLDER]`,
    );
  }
  const checkout = resolve(path);
  await access(join(checkout, needed)).catch(() => {
    throw new Error(`${checkout} is no checkout of R2R: it has no ${needed}.`);
  });
  const testSeconds = values['test-seconds'] === undefined ? undefined : Number(values['test-seconds']);
  if (testSeconds !== undefined && !(testSeconds > 0)) {
    throw new Error(`--test-seconds is ${values['test-seconds']}, but has to be a number above 0.`);
  }
  return {
    checkout,
    hasModel: values['scripted-model'],
    toolsFolder: values.tools === undefined ? undefined : resolve(values.tools),
    only: values.only,
    testSeconds,
  };
}
