import { access, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'cheerio';
import { acceptedPyDifferences } from './r2r-suites/accepted-py.ts';
import { main } from './r2r-suites/main.ts';
import type { SuiteOptions } from './r2r-suites/options.ts';
import type { TestOutcome } from './r2r-suites/outcome.ts';
import { runCommand, runOrThrow } from './r2r-suites/run-command.ts';
import { useAddress } from './r2r-suites/use-address.ts';
import type { SuiteEnvironment } from './r2r-suites/with-server.ts';

/**
 * Runs R2R's Python test suite against this service: tests from a checkout, unchanged except for the address, with the
 * client `r2r` of the same version from the package index. Keeps no files of it.
 */
const TESTS = 'py/tests/integration';
const EXAMPLES = 'py/core/examples';
const PYTEST = [
  'pytest>=8.2,<9',
  'pytest-asyncio>=0.23.6,<0.24',
  'pytest-dependency>=0.6,<0.7',
  'pytest-timeout>=2.3,<3',
];
const SETTINGS = '[pytest]\nasyncio_mode = auto\n';
/** Some tests poll without end for a state that a failed ingestion never reaches. */
const TEST_SECONDS = 180;
/** Number of tests whose durations are shown. */
const SLOWEST = 10;
// Stub: one test file imports two names of the client through R2R's server, whose many packages are not needed.
const SERVER_NAMES = 'from shared.abstractions import Message, SearchMode\n';
const INSTALL_WITHIN_MS = 900_000;
const RUN_WITHIN_MS = 3_600_000;

await main({
  script: 'r2r-py-suite',
  title: "R2R's Python suite",
  needed: TESTS,
  accepted: acceptedPyDifferences,
  runSuite,
});

async function runSuite(
  { checkout, toolsFolder, only, testSeconds = TEST_SECONDS }: SuiteOptions,
  { url, folder }: SuiteEnvironment,
): Promise<TestOutcome[]> {
  const suite = join(folder, 'suite');
  await cp(join(checkout, TESTS), join(suite, 'tests'), { recursive: true });
  // The tests refer to these files relative to the folder they run in.
  await cp(join(checkout, EXAMPLES), join(suite, 'core/examples'), { recursive: true });
  await writeFile(join(suite, 'core/__init__.py'), '');
  await writeFile(join(suite, 'core/base.py'), SERVER_NAMES);
  await writeFile(join(suite, 'pytest.ini'), SETTINGS);
  await useAddress(join(suite, 'tests'), url);
  const tools = toolsFolder ?? join(folder, 'tools');
  await installPytest(checkout, tools);
  const report = join(folder, 'report.xml');
  const chosen = only === undefined ? [] : ['-k', only];
  const { output } = await runCommand(
    join(tools, 'bin/pytest'),
    [
      'tests',
      '-v',
      '--tb=short',
      '--continue-on-collection-errors',
      `--timeout=${testSeconds}`,
      `--durations=${SLOWEST}`,
      `--junitxml=${report}`,
      ...chosen,
    ],
    {
      cwd: suite,
      env: { PYTHONPATH: suite, PYTHONUNBUFFERED: '1' },
      withinMilliseconds: RUN_WITHIN_MS,
      onOutput: (text) => process.stderr.write(text),
    },
  );
  const text = await readFile(report, 'utf8').catch(() => {
    throw new Error(`pytest wrote no report:\n${output.slice(-2_000)}`);
  });
  return readPytestReport(text);
}

/** Creates a virtual environment with R2R's client in the version of the checkout. */
async function installPytest(checkout: string, tools: string): Promise<void> {
  const isInstalled = await access(join(tools, 'bin/pytest')).then(
    () => true,
    () => false,
  );
  if (isInstalled) return;
  const project = await readFile(join(checkout, 'py/pyproject.toml'), 'utf8');
  const [, version] = /^version = "([^"]+)"$/m.exec(project) ?? [];
  if (version === undefined) throw new Error(`${join(checkout, 'py/pyproject.toml')} names no version.`);
  await mkdir(tools, { recursive: true });
  const limits = { cwd: tools, withinMilliseconds: INSTALL_WITHIN_MS };
  await runOrThrow('python3', ['-m', 'venv', tools], limits);
  await runOrThrow(join(tools, 'bin/pip'), ['install', '--quiet', `r2r==${version}`, ...PYTEST], limits);
}

/** Parses a report in JUnit's XML format, as pytest writes it. */
function readPytestReport(xml: string): TestOutcome[] {
  const $ = load(xml, { xml: true });
  return $('testcase')
    .toArray()
    .map((element): TestOutcome => {
      // A file that could not be loaded has a name but no class.
      const place = ($(element).attr('classname') || $(element).attr('name') || '').split('.');
      const problem = $(element).children('failure, error').first();
      const isSkipped = $(element).children('skipped').length > 0;
      return {
        file: `${place.find((part) => part.startsWith('test_')) ?? place.join('.')}.py`,
        name: $(element).attr('name') ?? '',
        outcome: problem.length > 0 ? 'failed' : isSkipped ? 'skipped' : 'passed',
        message: `${problem.attr('message') ?? ''}\n${problem.text().split('\n').slice(-12).join('\n')}`,
      };
    });
}
