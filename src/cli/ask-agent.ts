import { type AgentOptions, toAgentQuery } from './agent-options.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { runTurn } from './run-turn.ts';
import { withClient } from './with-client.ts';

/** `citewell ask --agent`: one turn of an agent; `chat --conversation` can go on with it. */
export function askAgent(question: string, options: AgentOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const isJson = options.json === true;
    const { conversationId } = await runTurn(
      toAgentQuery(question, options),
      { client, output, isJson },
      interruption.stop,
    );
    if (!isJson)
      output.note(output.noteStyle('dim', `citewell chat --conversation ${conversationId} goes on from here`));
    return exitCodes.ok;
  });
}
