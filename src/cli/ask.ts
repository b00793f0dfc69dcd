import type { Json } from '../documents/document.ts';
import { type AgentOptions, refuseAgentOptions, toAgentQuery } from './agent-options.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { CitedAnswer } from './from-wire.ts';
import { visible } from './layout.ts';
import { noteEmptyCorpus } from './note-empty-corpus.ts';
import { runTurn } from './run-turn.ts';
import { showCitations } from './show-citations.ts';
import { withClient } from './with-client.ts';

interface AskOptions extends AgentOptions {
  readonly agent?: boolean;
}

/** `citewell ask`: streams the answer, then lists its citations. */
export function ask(question: string, options: AskOptions, context: CommandContext): Promise<ExitCode> {
  if (options.agent || options.research) return askAgent(question, options, context);
  refuseAgentOptions(options);
  const { output, interruption } = context;
  return withClient(context, async (client) => {
    const query = {
      query: question,
      limit: options.limit,
      filters: options.filter ?? {},
      ...(options.asOf !== undefined && { asOf: options.asOf }),
      ...(options.mode && { mode: options.mode }),
      ...(options.model && { model: options.model }),
    };
    for await (const event of client.ask(query, interruption.stop)) {
      if (event.type === 'text' && !options.json) output.write(visible(event.text));
      if (event.type !== 'answer') continue;
      if (options.json) {
        output.print(JSON.stringify(toJson(question, event.answer)));
      } else {
        output.print();
        await showCitations(event.answer.citations, client, output);
        if (event.answer.citations.length === 0) await noteEmptyCorpus(client, output);
      }
    }
    return exitCodes.ok;
  });
}

function toJson(question: string, { text, mode, support, model, citations }: CitedAnswer): Json {
  return {
    question,
    answer: text,
    mode,
    ...(support !== undefined && { support }),
    model,
    citations: citations.map(({ number, documentId, title, quotes }) => ({
      id: `cit.${number}`,
      document_id: documentId,
      title,
      quotes: quotes.map(({ headingPath, ...quote }) => ({ ...quote, heading_path: headingPath })),
    })),
  };
}

/** `citewell ask --agent`: one turn of the agent; `chat --conversation` can continue it. */
function askAgent(question: string, options: AgentOptions, context: CommandContext): Promise<ExitCode> {
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
