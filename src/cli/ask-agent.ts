import { type AgentOptions, toAgentQuery } from './agent-options.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { noteEmptyCorpus } from './note-empty-corpus.ts';
import { runTurn } from './run-turn.ts';
import { withClient } from './with-client.ts';

/** `citewell ask --agent`: one turn of the agent; `chat --conversation` can continue it. */
export function askAgent(question: string, options: AgentOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const isJson = options.json === true;
    const { conversationId, citations } = await runTurn(
      toAgentQuery(question, options),
      { client, output, isJson },
      interruption.stop,
    );
    if (!isJson && citations.length === 0) await noteEmptyCorpus(client, output);
    if (!isJson)
      output.note(
        output.noteStyle('dim', `citewell chat --conversation ${conversationId} continues this conversation`),
      );
    return exitCodes.ok;
  });
}
