import type { AccessConfig } from '../access/access-settings.ts';
import { createServices, type Services } from '../services.ts';
import { readVersion } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { describeAccess } from './describe-access.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { serverLog } from './log.ts';
import { offerFor } from './offer-tools.ts';
import { openServer } from './open-server.ts';
import { count } from './progress-line.ts';
import { takeFolder } from './take-folder.ts';

interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
}

/** `citewell serve`: HTTP on this machine until SIGINT or SIGTERM. */
export async function serve(options: ServeOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const config = await context.config({
    ...(options.host !== undefined && { CITEWELL_HOST: options.host }),
    ...(options.port !== undefined && { CITEWELL_PORT: String(options.port) }),
  });
  interruption.outliveReader();
  const offer = offerFor(config, {}, []);
  const open = () => createServices(config, { log: serverLog(config.logLevel), resumes: true });
  const services = await takeFolder(config.dataDir, open, interruption.stop);
  try {
    const server = await openServer({ services, config, address: config, offer, folders: [], role: 'server' });
    try {
      const [status, { documents }] = await Promise.all([services.status(), services.corpus.stats()]);
      output.print(`Citewell ${readVersion()} serves ${output.style('bold', `${server.url}/v3`)}  (Ctrl-C stops it)`);
      const rows = [
        ['  mcp', `${server.url}/mcp`],
        ['  access', describeAccess(config.access)],
        ['  answers', status.model],
        ['  embeddings', status.embedder],
        ['  data', `${status.data}, ${count(Object.values(documents).reduce((sum, each) => sum + each, 0))} documents`],
      ];
      for (const line of table(rows)) output.print(line);
      if (await lacksUsers(config.access, services)) {
        const how = 'citewell users create-admin --email YOU@EXAMPLE.ORG';
        output.print(`  ${output.style('yellow', `Nobody can log in yet. Make the first admin: ${how}`)}`);
      }
      for (const hint of status.hints) output.print(`  ${output.style('yellow', hint)}`);
      await aborted(interruption.stop);
      output.note('Stopping; once more ends it at once.');
    } finally {
      await server.close();
    }
  } finally {
    await services.close();
  }
  return exitCodes.ok;
}

/** Whether authentication is required, and there is nobody who could pass it. */
async function lacksUsers({ mode, keys, oauth }: AccessConfig, { accounts }: Services): Promise<boolean> {
  if (mode === 'off' || keys.length > 0 || oauth !== undefined) return false;
  const { items, total } = await accounts.store.users.list({ ids: [], offset: 0, limit: 1 });
  return total <= 1 && items.every(({ passwordHash }) => passwordHash === null);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
