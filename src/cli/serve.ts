import { createApp } from '../http/app.ts';
import { listen } from '../http/serve.ts';
import { createServices } from '../services.ts';
import { removeServerInfo, writeServerInfo } from '../store/data-folder.ts';
import { readVersion } from '../version.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { table } from './layout.ts';
import { serverLog } from './log.ts';
import { count } from './progress-line.ts';

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
  const services = await createServices(config, { log: serverLog(config.logLevel), resumes: true });
  try {
    const server = await listen(createApp(services), config);
    try {
      await writeServerInfo(config.dataDir, server.url);
      const [status, { documents }] = await Promise.all([services.status(), services.corpus.stats()]);
      output.print(`Citewell ${readVersion()} serves ${output.style('bold', `${server.url}/v3`)}  (Ctrl-C stops it)`);
      const rows = [
        ['  answers', status.model],
        ['  embeddings', status.embedder],
        ['  data', `${status.data}, ${count(Object.values(documents).reduce((sum, each) => sum + each, 0))} documents`],
      ];
      for (const line of table(rows)) output.print(line);
      for (const hint of status.hints) output.print(`  ${output.style('yellow', hint)}`);
      await aborted(interruption.stop);
      output.note('Stopping; once more ends it at once.');
    } finally {
      await removeServerInfo(config.dataDir);
      await server.close();
    }
  } finally {
    await services.close();
  }
  return exitCodes.ok;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
