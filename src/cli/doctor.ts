import { isLoopback } from '../access/confidential-address.ts';
import { discoverIssuer } from '../access/discover-issuer.ts';
import { vectorDatabase } from '../adapters/open-index.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { installedPackages } from '../sandbox/install-packages.ts';
import { findOuterLayers } from '../sandbox/outer-layers.ts';
import { findRuntime } from '../sandbox/runtime.ts';
import { sandboxAbsence } from '../sandbox/sandbox-settings.ts';
import { errorMessage } from '../shared/error-message.ts';
import { checkExternalServers } from './check-external-servers.ts';
import { checkLocalModels } from './check-local-models.ts';
import { checkModels } from './check-models.ts';
import { checkOriginals } from './check-originals.ts';
import { checkPgvector, checkPostgres } from './check-postgres.ts';
import { checkServices } from './check-services.ts';
import { checkWeb } from './check-web.ts';
import type { CommandContext } from './command-context.ts';
import { describeAccess } from './describe-access.ts';
import {
  checkChroma,
  checkDatabase,
  checkDataFolder,
  checkHolder,
  checkNode,
  checkPort,
  checkSqlite,
  type Finding,
} from './doctor-checks.ts';
import { repairDatabase } from './doctor-repair.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { packageSource } from './python.ts';

interface DoctorOptions {
  readonly json?: boolean;
  readonly repair?: boolean;
  /** False with --no-questions. */
  readonly questions: boolean;
}

/**
 * `citewell doctor`: what Citewell needs, what is wrong, and how to fix it; each finding is printed as soon as it is known.
 * Exit code 1 when something is wrong.
 */
export async function doctor(options: DoctorOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const repairs = options.repair
    ? await repairDatabase((await context.config()).dataDir, (message) => output.note(message))
    : [];
  const findings: Finding[] = [];
  for await (const finding of checkAll(context.config, options.questions, repairs)) {
    // Checks of what does not answer take seconds each.
    interruption.stop.throwIfAborted();
    findings.push(finding);
    if (options.json) continue;
    const { name, state, detail, fix } = finding;
    output.print(`${output.style(colours[state], words[state])}  ${output.style('bold', name)}: ${detail}`);
    if (fix !== undefined) output.print(`        ${fix}`);
  }
  const isWell = findings.every(({ state }) => state !== 'wrong');
  if (options.json) output.print(JSON.stringify({ ok: isWell, findings }));
  return isWell ? exitCodes.ok : exitCodes.failure;
}

const words = { ok: 'ok   ', warning: 'note ', wrong: 'WRONG' } as const;
const colours = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

async function* checkAll(
  readConfig: () => Promise<Config>,
  asksQuestions: boolean,
  repairs: readonly Finding[],
): AsyncGenerator<Finding, void> {
  yield checkNode(process.version);
  yield checkSqlite();
  yield* checkConfigured(readConfig, asksQuestions);
  yield* repairs;
}

async function* checkConfigured(
  readConfig: () => Promise<Config>,
  asksQuestions: boolean,
): AsyncGenerator<Finding, void> {
  const name = 'Configuration';
  let config: Config;
  try {
    config = await readConfig();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    yield { name, state: 'wrong', detail: error.message, fix: 'Correct these variables; other checks were skipped.' };
    return;
  }
  yield config.warnings.length === 0
    ? { name, state: 'ok', detail: 'all variables are valid' }
    : { name, state: 'warning', detail: config.warnings.join(' '), fix: 'Correct or remove these variables.' };
  yield await checkDataFolder(config.dataDir);
  yield* await checkHolder(config.dataDir);
  if (config.databaseUrl === undefined) yield* await checkDatabase(config.dataDir);
  else yield await checkPostgres(config.databaseUrl);
  yield await checkIndex(config);
  yield* await checkModels(config);
  yield* await checkLocalModels(config);
  if (asksQuestions) {
    yield* await checkServices(config);
    yield* await checkOriginals(config);
  }
  yield await checkWeb(config);
  yield await checkSandbox(config);
  yield* await checkExternalServers(config);
  yield await checkAccess(config);
  yield await checkPort(config);
}

/** Whether Python can run, and which isolation layers are active; docs/sandbox.md explains them. */
async function checkSandbox(config: Config): Promise<Finding> {
  const { sandbox } = config;
  const name = 'Python';
  const fix = 'See docs/sandbox.md; without it only python_executor is unavailable.';
  const absence = sandboxAbsence(sandbox);
  const search = findRuntime();
  if (sandbox.mode === 'off') return { name, state: 'ok', detail: absence ?? '' };
  if (!search.found || absence !== undefined) return { name, state: 'warning', detail: absence ?? '', fix };
  const { bubblewrap, kernelLimits, rights } = await findOuterLayers(sandbox.searchPath);
  const layers = [
    `isolate (isolated-vm ${search.runtime.isolatedVmVersion}, Pyodide ${search.runtime.pyodideVersion})`,
    'process without permissions',
    ...(kernelLimits ? ["the kernel's limits"] : []),
    ...(rights?.holds ?? []),
    ...('program' in bubblewrap ? [`bubblewrap (${bubblewrap.program})`] : []),
  ];
  const packages = await describePackages(config);
  const detail = `layers: ${layers.join(', ')}${packages.detail}`;
  if (packages.fix !== undefined) return { name, state: 'warning', detail, fix: packages.fix };
  if ('program' in bubblewrap) return { name, state: 'ok', detail };
  if (sandbox.mode === 'strict') {
    return { name, state: 'warning', detail: `${bubblewrap.absent}, and CITEWELL_SANDBOX=strict requires it`, fix };
  }
  return { name, state: 'ok', detail: `${detail}; missing: ${bubblewrap.absent}` };
}

async function describePackages(config: Config): Promise<{ readonly detail: string; readonly fix?: string }> {
  let source: ReturnType<typeof packageSource>;
  try {
    source = packageSource(config);
  } catch {
    // No packages can be installed without Pyodide or a cache folder.
    return { detail: '' };
  }
  try {
    const { packages, pyodide } = await installedPackages(source);
    const names = packages.flatMap(({ name, requested }) => (requested ? [name] : []));
    if (names.length === 0) return { detail: '' };
    const detail = `; packages: ${names.join(', ')}`;
    if (pyodide === source.pyodideVersion) return { detail };
    return {
      detail: `${detail} (for Pyodide ${pyodide}, not used)`,
      fix: `Run: citewell python add ${names.join(' ')}`,
    };
  } catch (error) {
    return { detail: '', ...(error instanceof ServiceError && { fix: error.message }) };
  }
}

/** Who may call `citewell serve`, and whether the token issuer publishes its keys. */
async function checkAccess({ access, host }: Pick<Config, 'access' | 'host'>): Promise<Finding> {
  const name = 'Access';
  const detail = describeAccess(access);
  if (access.oauth !== undefined) {
    try {
      await discoverIssuer(access.oauth.issuer);
    } catch (error) {
      const why = errorMessage(error);
      return { name, state: 'wrong', detail: `${detail}. ${why}`, fix: 'Correct CITEWELL_OAUTH_ISSUER, or start it.' };
    }
  }
  if (access.admins.knowsTestPassword) {
    const fix = 'Remove CITEWELL_R2R_TEST_ADMIN, except for tests.';
    return { name, state: 'warning', detail: `${detail}; an administrator with a publicly known password`, fix };
  }
  if (access.mode === 'required' && access.accounts.registration === 'open' && !isLoopback(host)) {
    const fix = 'Set CITEWELL_REGISTRATION=closed, unless anyone who can reach the server may register.';
    return { name, state: 'warning', detail: `${detail}, at ${host}`, fix };
  }
  return { name, state: 'ok', detail };
}

function checkIndex(config: Config): Promise<Finding> {
  const url = vectorDatabase(config);
  return url === undefined ? checkChroma(config) : checkPgvector(url);
}
