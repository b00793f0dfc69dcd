import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { httpClient } from './http-client.ts';

/** Runs a command's work against whatever process has the data folder, this one if need be, and closes what it opened. */
export async function withClient<T>(
  context: CommandContext,
  run: (client: Client) => Promise<T>,
  options: ConnectOptions = {},
): Promise<T> {
  const link = await connect(await context.config(), context, options);
  try {
    return await run(await httpClient(link));
  } finally {
    await link.close();
  }
}

/** The same for commands that embed nothing: the corpus keeps whatever embedder it has. */
export const withoutEmbedding = <T>(context: CommandContext, run: (client: Client) => Promise<T>): Promise<T> =>
  withClient(context, run, { embedder: 'keep' });
