import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ConnectOptions, connect } from './connect.ts';

/** Runs a command's work against the running server of the data folder, or in process, and closes what it opened. */
export async function withClient<T>(
  context: CommandContext,
  run: (client: Client) => Promise<T>,
  options: ConnectOptions = {},
): Promise<T> {
  const client = await connect(await context.config(), context, options);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}
