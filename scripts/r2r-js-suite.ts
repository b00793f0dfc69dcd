import { access, copyFile, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { acceptedJsDifferences } from './r2r-suites/accepted-js.ts';
import { main } from './r2r-suites/main.ts';
import type { SuiteOptions } from './r2r-suites/options.ts';
import type { TestOutcome } from './r2r-suites/outcome.ts';
import { runCommand, runOrThrow } from './r2r-suites/run-command.ts';
import { useAddress } from './r2r-suites/use-address.ts';
import type { SuiteEnvironment } from './r2r-suites/with-server.ts';

/**
 * Runs R2R's JavaScript test suite against this service: tests and client from a checkout, unchanged except for the
 * address, with the version of jest that their package requires. Keeps no files of it.
 */
const SDK = 'js/sdk';
/** Excludes the unit tests of the client, which need no server. */
const NO_SERVER = ['--testPathIgnorePatterns', '__tests__/util/', '--'];
const INSTALL_WITHIN_MS = 600_000;
const RUN_WITHIN_MS = 1_800_000;

interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

await main({
  script: 'r2r-js-suite',
  title: "R2R's JavaScript suite",
  needed: `${SDK}/__tests__`,
  accepted: acceptedJsDifferences,
  runSuite,
});

async function runSuite(
  { checkout, toolsFolder, only, testSeconds }: SuiteOptions,
  { url, folder }: SuiteEnvironment,
): Promise<TestOutcome[]> {
  const suite = join(folder, 'suite');
  await cp(join(checkout, SDK), suite, { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  const tools = toolsFolder ?? join(folder, 'tools');
  await installJest(join(checkout, SDK), tools);
  await symlink(join(tools, 'node_modules'), join(suite, 'node_modules'));
  await useAddress(join(suite, '__tests__'), url);
  const report = join(folder, 'report.json');
  const { output } = await runCommand(
    process.execPath,
    [
      join(tools, 'node_modules/jest/bin/jest.js'),
      '--runInBand',
      '--json',
      `--outputFile=${report}`,
      ...(testSeconds === undefined ? [] : [`--testTimeout=${testSeconds * 1_000}`]),
      ...NO_SERVER,
      ...(only === undefined ? [] : [only]),
    ],
    { cwd: suite, withinMilliseconds: RUN_WITHIN_MS },
  );
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`jest wrote no report:\n${output.slice(-2_000)}`);
  });
  return readJestReport(JSON.parse(text) as JestReport);
}

/** Installs the packages that the client and its tests import, in the versions of their lock file. */
async function installJest(sdk: string, tools: string): Promise<void> {
  const isInstalled = await access(join(tools, 'node_modules/jest')).then(
    () => true,
    () => false,
  );
  if (isInstalled) return;
  await mkdir(tools, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) await copyFile(join(sdk, file), join(tools, file));
  await runOrThrow('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: tools,
    withinMilliseconds: INSTALL_WITHIN_MS,
  });
}

function readJestReport({ testResults }: JestReport): TestOutcome[] {
  return testResults.flatMap(({ name, message, assertionResults }): TestOutcome[] => {
    const file = basename(name);
    // A file that failed to run has no tests, only a message.
    if (assertionResults.length === 0) return [{ file, name: '(the file itself)', outcome: 'failed', message }];
    return assertionResults.map(({ fullName, status, failureMessages }) => ({
      file,
      name: fullName,
      outcome: status === 'passed' || status === 'failed' ? status : 'skipped',
      message: failureMessages.join('\n'),
    }));
  });
}
