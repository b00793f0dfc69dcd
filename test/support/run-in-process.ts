import { PassThrough } from 'node:stream';
import { listenForInterruption } from '../../src/cli/interruption.ts';
import { createCommand } from '../../src/cli/main.ts';
import { processOutput } from '../../src/cli/output.ts';
import type { Run } from './run-citewell.ts';

/**
 * Runs a command in this process, which saves starting one. It has no stdin. Its data folder is in `cwd`, but paths that it
 * is given must be absolute: other tests run in this process, even after this one has timed out, so that the working
 * directory stays as it is.
 */
export async function runInProcess(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Run> {
  const stdout = stream();
  const stderr = stream();
  const interruption = listenForInterruption(process, { force: () => undefined });
  try {
    const command = createCommand(args, { output: processOutput(stdout, stderr), interruption, env, cwd });
    const code = await command.run();
    return { code, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    interruption.dispose();
  }
}

const stream = () => new PassThrough() as unknown as NodeJS.WriteStream;

/** Reads everything; since Node 26 one `read` returns only one of the written chunks. */
const written = (stream: NodeJS.WriteStream): string => {
  let text = '';
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk);
  return text;
};
