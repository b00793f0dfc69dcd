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
}

/** Reads the command line of a suite script. `needed` is a path that a checkout of R2R has. */
export async function readSuiteOptions(script: string, needed: string): Promise<SuiteOptions> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'scripted-model': { type: 'boolean', default: false },
      tools: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) {
    throw new Error(
      `Usage: npm run ${script} -- PATH_OF_R2R_CHECKOUT [--scripted-model] [--only PART_OF_FILE_NAME] [--tools FOLDER]`,
    );
  }
  const checkout = resolve(path);
  await access(join(checkout, needed)).catch(() => {
    throw new Error(`${checkout} is no checkout of R2R: it has no ${needed}.`);
  });
  return {
    checkout,
    hasModel: values['scripted-model'],
    toolsFolder: values.tools === undefined ? undefined : resolve(values.tools),
    only: values.only,
  };
}
