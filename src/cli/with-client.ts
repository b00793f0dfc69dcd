import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { httpClient } from './http-client.ts';

/** Runs a command against the process that holds the data folder, this one if there is no other, then disconnects. */
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

/** Like `withClient`, for commands that embed nothing: the corpus keeps its embedder, whatever the settings say. */
export const withoutEmbedding = <T>(context: CommandContext, run: (client: Client) => Promise<T>): Promise<T> =>
  withClient(context, run, { embedder: 'keep' });
