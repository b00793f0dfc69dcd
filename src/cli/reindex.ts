import { ServiceError } from '../errors.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { counted, progressLine } from './progress-line.ts';
import { trainingLine } from './training-line.ts';
import { withClient } from './with-client.ts';

interface ReindexOptions {
  readonly to?: string;
  readonly back?: boolean;
  readonly json?: boolean;
}

/** `citewell reindex`: embeds every chunk again beside the current vectors, then switches. */
export async function reindex(options: ReindexOptions, context: CommandContext): Promise<ExitCode> {
  if (options.to !== undefined && options.back) {
    throw new ServiceError(
      'invalid_request',
      '--to and --back exclude each other: --back returns to the embedder before.',
    );
  }
  const { output, interruption } = context;
  return withClient(
    context,
    async (client) => {
      let startedAt = performance.now();
      const request = { back: options.back === true, ...(options.to !== undefined && { model: options.to }) };
      const steps = client.reindex(request, interruption.stop);
      let done = 0;
      for (;;) {
        const step = await steps.next();
        if (step.done) {
          if (options.json) output.print(JSON.stringify({ type: 'done', embedder: step.value, chunks: done }));
          else output.print(`Searching with ${step.value} now, over ${counted(done, 'chunk')}.`);
          return exitCodes.ok;
        }
        done = step.value.done;
        if (options.json) output.print(JSON.stringify({ type: 'progress', ...step.value }));
        if (step.value.trained !== undefined) {
          // The rate is that of the embedding alone.
          startedAt = performance.now();
          output.status(trainingLine(step.value));
          continue;
        }
        const elapsedSeconds = (performance.now() - startedAt) / 1000;
        output.status(
          progressLine({ ...step.value, failed: 0, skipped: 0, elapsedSeconds, unit: 'chunks' }, output.width),
        );
      }
    },
    { embedder: 'keep', releasesStore: false },
  );
}
