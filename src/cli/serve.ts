import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabaseThreads } from '../adapters/start-database-threads.ts';
import type { Services } from '../compose/services.ts';
import type { Config } from '../config.ts';
import type { HttpLog } from '../http/http-services.ts';
import { untilAborted } from '../shared/abort.ts';
import { readVersion } from '../version.ts';
import { accessHints } from './access-hints.ts';
import { acquireDataFolder } from './acquire-data-folder.ts';
import type { CommandContext } from './command-context.ts';
import { describeAccess } from './describe-access.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { serverLog } from './log.ts';
import { offerFor } from './offer-tools.ts';
import { openPage, systemPageOpener } from './open-page.ts';
import type { OpenServer } from './open-server.ts';
import type { Output } from './output.ts';
import { counted } from './progress-line.ts';

interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
  readonly allowDir?: readonly string[];
  readonly open?: boolean;
  /** False with `--no-work`. */
  readonly work?: boolean;
}

/** `citewell serve`: HTTP on this machine until SIGINT or SIGTERM. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const overrides = {
    ...(options.host !== undefined && { CITEWELL_HOST: options.host }),
    ...(options.work === false && { CITEWELL_WORK: 'off' }),
    ...(options.port !== undefined && { CITEWELL_PORT: String(options.port) }),
  };
  const configured = await context.config({ overrides });
  const config = {
    ...configured,
    allowedFolders: [...configured.allowedFolders, ...(options.allowDir ?? []).map((folder) => resolve(folder))],
  };
  interruption.ignoreBrokenPipe();
  const offer = offerFor(config, {}, []);
  const log = serverLog(config.logLevel, output);
  const services = await acquireDataFolder(config.dataDir, () => start(config, log), interruption.stop);
  try {
    const { openServer } = await import('./open-server.ts');
    const server = await openServer({ services, config, address: config, offer, role: 'server' });
    try {
      output.print(`Citewell ${readVersion()} serves ${output.style('bold', server.url)}  (Ctrl-C stops it)`);
      // Printed first, because the server answers already.
      printRows(output, [
        ['page', server.url],
        ['http', `${server.url}/v3`],
        ['mcp', `${server.url}/mcp`],
        ['access', describeAccess(config.access)],
      ]);
      const [status, { documents }] = await Promise.all([services.status(), services.corpus.stats()]);
      printRows(output, [
        ['answers', status.model],
        ['embeddings', status.embedder],
        ...(status.database === undefined ? [] : [['database', status.database] as const]),
        [
          'data',
          `${status.data}, ${counted(
            Object.values(documents).reduce((sum, each) => sum + each, 0),
            'document',
          )}`,
        ],
      ]);
      const hints = [...(await accessHints(config.access, services.accounts.store)), ...status.hints];
      for (const hint of hints) output.print(`  ${output.style('yellow', hint)}`);
      // Otherwise the first search loads the same code, and reports a failure.
      services.preload().catch(() => undefined);
      if (options.open === true) void openPage(server.url, output, systemPageOpener(config));
      await untilAborted(interruption.stop);
      output.note('Stopping; press Ctrl-C again to end at once.');
      if (interruption.received() === 'SIGTERM') await shutDownGracefully(server, services, config.cluster);
    } finally {
      await server.close();
    }
  } finally {
    await services.close();
  }
  return exitCodes.ok;
}

const LABEL_WIDTH = 'embeddings'.length;

/** Prints facts about the service, in columns as wide as those printed before and after. */
function printRows(output: Output, rows: readonly (readonly [label: string, value: string])[]): void {
  for (const line of table(rows.map(([label, value]) => [`  ${label.padEnd(LABEL_WIDTH)}`, value]))) output.print(line);
}

/**
 * Graceful shutdown for rolling restarts: the proxy routes requests to other servers, these take over the tasks, and
 * running requests are finished. Skipped on Ctrl-C, because a person is waiting.
 */
async function shutDownGracefully(
  server: OpenServer,
  services: Services,
  { stopDelaySeconds, stopSeconds }: Config['cluster'],
): Promise<void> {
  server.announceStop();
  const released = services.release();
  await sleep(stopDelaySeconds * 1000);
  const withinMs = stopSeconds * 1000;
  await Promise.all([server.finish(withinMs), services.runs.finish(withinMs)]);
  await released;
}

/** Starts the services. Other modules are loaded while the threads of the database start. */
async function start(config: Config, log: HttpLog) {
  startDatabaseThreads(config);
  const { openAdapters } = await import('../adapters/open-adapters.ts');
  const opening = openAdapters(config, { log, counts: true, role: 'server' });
  // A failure of the adapters is reported below.
  opening.catch(() => undefined);
  const { compose } = await import('../compose/compose.ts');
  await import('./open-server.ts');
  return compose(await opening).start({ resumes: true });
}
