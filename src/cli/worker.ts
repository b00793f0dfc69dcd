import { openAdapters } from '../adapters/open-adapters.ts';
import { compose } from '../compose/compose.ts';
import type { Services } from '../compose/services.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { returnMemoryAtRest } from '../shared/return-memory.ts';
import { readVersion } from '../version.ts';
import { acquireDataFolder } from './acquire-data-folder.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { serverLog } from './log.ts';

interface WorkerOptions {
  readonly port?: number;
}

/** `citewell worker`: processes the tasks in a shared database until SIGINT or SIGTERM. */
export async function worker(options: WorkerOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const port = options.port === undefined ? {} : { CITEWELL_WORKER_PORT: String(options.port) };
  // A setting of CITEWELL_WORK in the shared environment is meant for servers; a worker always processes tasks.
  const config = await context.config({ overrides: { CITEWELL_WORK: 'on', ...port } });
  if (config.databaseUrl === undefined) {
    throw new ServiceError(
      'not_configured',
      'A worker takes the tasks of servers on the same database: set CITEWELL_DATABASE_URL as they do. On SQLite, ' +
        '"citewell serve" works on the tasks itself.',
    );
  }
  interruption.ignoreBrokenPipe();
  const services = await acquireDataFolder(config.dataDir, () => start(config), interruption.stop);
  try {
    const probes = await openProbes(services, config);
    try {
      const status = await services.status();
      output.print(`Citewell ${readVersion()} works on the tasks of a database  (Ctrl-C stops it)`);
      const rows = [
        ['  database', status.database ?? ''],
        ['  answers', status.model],
        ['  embeddings', status.embedder],
        ...(probes === undefined ? [] : [['  health', `${probes.url}/health`]]),
      ];
      for (const line of table(rows)) output.print(line);
      for (const hint of status.hints) output.print(`  ${output.style('yellow', hint)}`);
      const stopReturningMemory = returnMemoryAtRest();
      await untilAborted(interruption.stop);
      stopReturningMemory();
      output.note('Stopping; press Ctrl-C again to end at once.');
      probes?.announceStop();
      await services.release();
    } finally {
      await probes?.close();
    }
  } finally {
    await services.close();
  }
  return exitCodes.ok;
}

async function start(config: Config): Promise<Services> {
  const adapters = await openAdapters(config, { log: serverLog(config.logLevel), counts: true, role: 'worker' });
  return compose(adapters).start({ resumes: true });
}

/** Opens the port for health checks and metrics, if one is configured. */
async function openProbes(services: Services, { cluster }: Config) {
  if (cluster.workerPort === undefined) return undefined;
  const { openProbeServer } = await import('../http/probe-server.ts');
  return openProbeServer(services, { host: '127.0.0.1', port: cluster.workerPort });
}
