import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface SuiteOptions {
  /** Absolute path of the checkout of R2R. */
  readonly checkout: string;
  /** Whether the server gets a language model, which plays scripted replies. */
  readonly hasModel: boolean;
  /** Folder for the suite's own packages, kept and reused; undefined means a temporary folder. */
  readonly toolsFolder: string | undefined;
  /** Only the test files whose names contain this. */
  readonly only: string | undefined;
  /** Time limit per test in seconds; undefined means the suite's default. */
  readonly testSeconds: number | undefined;
}

export interface SuiteCommand {
  /** Name of the npm script, for the usage line. */
  readonly script: string;
  /** A path by which a checkout of R2R is recognised. */
  readonly needed: string;
}

/** Reads the command line of a suite script. */
export async function readSuiteOptions({ script, needed }: SuiteCommand): Promise<SuiteOptions> {
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
