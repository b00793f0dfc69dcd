import { ServiceError } from '../errors.ts';
import { nearestName } from '../shared/nearest-name.ts';
import { type AgentOptions, toAgentQuery } from './agent-options.ts';
import type { AgentReply } from './agent-wire.ts';
import type { Client } from './client.ts';
import type { CommandContext } from './command-context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { visible, visibleLine } from './layout.ts';
import { lineInput } from './line-input.ts';
import { runTurn } from './run-turn.ts';
import { showCitations } from './show-citations.ts';
import { noteOutcome } from './turn-view.ts';
import { withClient } from './with-client.ts';

interface ChatOptions extends AgentOptions {
  readonly conversation?: string;
}

const HELP = `Each line is a question. Commands:
  /sources  show the sources of the last answer, and the statements that none of them supports
  /new      start a new conversation
  /help     this
  /exit     leave (also Ctrl-D, exit, quit)
Ctrl-C cancels the current answer; the text so far is kept.`;

/** Input that ends the chat. */
const ENDS: ReadonlySet<string> = new Set(['/exit', '/quit', 'exit', 'quit']);

const commands = ['/sources', '/new', '/help', '/exit'] as const;

/** `citewell chat`: turns of one conversation until the input ends. A failed turn does not end it. */
export function chat(options: ChatOptions, context: CommandContext): Promise<ExitCode> {
  return withClient(context, (client) => runConversation(client, options, context));
}

async function runConversation(client: Client, options: ChatOptions, context: CommandContext): Promise<ExitCode> {
  const { output, interruption } = context;
  const isJson = options.json === true;
  let turn: AbortController | undefined;
  let last: AgentReply | undefined;
  let conversationId = options.conversation;
  let failures = 0;

  const cancelTurn = (): boolean => {
    if (turn === undefined) return false;
    turn.abort(new ServiceError('cancelled', 'Cancelled.'));
    return true;
  };
  if (conversationId !== undefined) await showHistory(client, conversationId, context);
  const lines = lineInput({
    input: process.stdin,
    echo: process.stderr,
    onInterrupt: cancelTurn,
    stop: interruption.stop,
  });
  interruption.handleFirst(cancelTurn);
  if (lines.isInteractive) output.note(output.noteStyle('dim', 'Ask about your documents. /help lists the commands.'));
  try {
    for (;;) {
      const line = (await lines.next('> '))?.trim();
      if (line === undefined) {
        // Ctrl-D leaves the cursor on the prompt's line.
        if (lines.isInteractive) output.note();
        break;
      }
      if (line === '') continue;
      if (ENDS.has(line.toLowerCase())) break;
      if (!line.startsWith('/')) await answer(line);
      else await runCommand(line);
    }
  } finally {
    lines.close();
    interruption.handleFirst(() => false);
  }
  if (interruption.stop.aborted) throw new ServiceError('cancelled', 'Interrupted.');
  if (conversationId !== undefined && lines.isInteractive) {
    output.note(output.noteStyle('dim', `citewell chat --conversation ${conversationId} continues this conversation`));
  }
  // In a script, failures must show in the exit code.
  return failures > 0 && !lines.isInteractive ? exitCodes.failure : exitCodes.ok;

  async function answer(question: string): Promise<void> {
    const current = new AbortController();
    turn = current;
    try {
      conversationId ??= await client.createConversation();
      const query = { ...toAgentQuery(question, options), conversationId };
      last = await runTurn(query, { client, output, isJson }, AbortSignal.any([current.signal, interruption.stop]));
    } catch (error) {
      if (interruption.stop.aborted) throw error;
      report(current.signal.aborted ? new ServiceError('cancelled', 'Cancelled; the text so far is kept.') : error);
    } finally {
      turn = undefined;
    }
    if (!isJson) output.note();
  }

  function report(error: unknown): void {
    const { code, message } = error instanceof ServiceError ? error : { code: 'internal', message: String(error) };
    if (code !== 'cancelled') failures++;
    if (isJson) output.print(JSON.stringify({ event: 'error', data: { error: { code, message } } }));
    else output.note(output.noteStyle(code === 'cancelled' ? 'yellow' : 'red', visible(message)));
  }

  async function runCommand(command: string): Promise<void> {
    switch (command) {
      case '/sources':
        if (last === undefined) {
          output.note('There is no answer yet.');
          return;
        }
        await showCitations(last.citations, client, output);
        for (const sentence of last.unsupported)
          output.print(output.style('yellow', `Not supported: ${visible(sentence)}`));
        noteOutcome(last, output);
        return;
      case '/new':
        conversationId = undefined;
        last = undefined;
        output.note(output.noteStyle('dim', 'A new conversation.'));
        return;
      case '/help':
        output.note(HELP);
        return;
      default:
        output.note(
          `Unknown command ${visibleLine(command)}; did you mean ${nearestName(command, commands)}? /help lists all.`,
        );
    }
  }
}

async function showHistory(client: Client, id: string, { output }: CommandContext): Promise<void> {
  const messages = await client.conversation(id);
  const lastQuestion = messages.findLast(({ role }) => role === 'user');
  if (lastQuestion === undefined) return;
  output.note(output.noteStyle('dim', `Continuing after ${messages.length} messages; the last question was:`));
  output.note(output.noteStyle('dim', `  ${visibleLine(lastQuestion.content)}`));
}
