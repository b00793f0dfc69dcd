import { PassThrough } from 'node:stream';
import { listenForInterruption } from '../../src/cli/interruption.ts';
import { createCommand } from '../../src/cli/main.ts';
import { processOutput } from '../../src/cli/output.ts';
import type { Run } from './run-citewell.ts';

/** Runs a command in this process, in the working directory `cwd`, which saves starting a process. It has no stdin. */
export async function runInProcess(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Run> {
  const stdout = stream();
  const stderr = stream();
  const interruption = listenForInterruption(process, { force: () => undefined });
  const folder = process.cwd();
  process.chdir(cwd);
  try {
    const command = createCommand(args, { output: processOutput(stdout, stderr), interruption, env, cwd });
    const code = await command.run();
    return { code, stdout: written(stdout), stderr: written(stderr) };
  } finally {
    process.chdir(folder);
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
