import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { checkAccess } from './check-access.ts';
import { checkExternalServers } from './check-external-servers.ts';
import { checkLocalModels } from './check-local-models.ts';
import { checkModels } from './check-models.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkWeb } from './check-web.ts';
import type { CommandContext } from './command-context.ts';
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

interface DoctorOptions {
  readonly json?: boolean;
  readonly repair?: boolean;
}

/** `citewell doctor`: what Citewell needs, what is wrong, and how to fix it. Exit code 1 when something is wrong. */
export async function doctor(options: DoctorOptions, context: CommandContext): Promise<ExitCode> {
  const { output } = context;
  const repairs = options.repair
    ? await repairDatabase((await context.config()).dataDir, (message) => output.note(message))
    : [];
  const findings = [checkNode(process.version), checkSqlite(), ...(await checkConfigured(context.config)), ...repairs];
  const isWell = findings.every(({ state }) => state !== 'wrong');
  if (options.json) {
    output.print(JSON.stringify({ ok: isWell, findings }));
  } else {
    for (const { name, state, detail, fix } of findings) {
      output.print(`${output.style(colours[state], words[state])}  ${output.style('bold', name)}: ${detail}`);
      if (fix !== undefined) output.print(`        ${fix}`);
    }
  }
  return isWell ? exitCodes.ok : exitCodes.failure;
}

const words = { ok: 'ok   ', warning: 'note ', wrong: 'WRONG' } as const;
const colours = { ok: 'green', warning: 'yellow', wrong: 'red' } as const;

async function checkConfigured(readConfig: () => Promise<Config>): Promise<Finding[]> {
  const name = 'Configuration';
  let config: Config;
  try {
    config = await readConfig();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [
      { name, state: 'wrong', detail: error.message, fix: 'Correct these variables; other checks were skipped.' },
    ];
  }
  const settings: Finding =
    config.warnings.length === 0
      ? { name, state: 'ok', detail: 'all variables are valid' }
      : { name, state: 'warning', detail: config.warnings.join(' '), fix: 'Correct or remove these variables.' };
  return [
    settings,
    await checkDataFolder(config.dataDir),
    ...(await checkHolder(config.dataDir)),
    ...(await checkDatabase(config.dataDir)),
    await checkChroma(config),
    ...(await checkModels(config)),
    ...(await checkLocalModels(config)),
    await checkWeb(config),
    await checkSandbox(config),
    ...(await checkExternalServers(config)),
    await checkAccess(config),
    await checkPort(config),
  ];
}
