import { ServiceError } from '../errors.ts';
import { type AgentReply, shownFromWire } from './agent-wire.ts';
import type { Client } from './client.ts';
import type { Output } from './output.ts';
import type { AgentQuery } from './questions.ts';
import { showCitations } from './show-citations.ts';
import { noteOutcome, TurnView } from './turn-view.ts';

interface Turn {
  readonly client: Client;
  readonly output: Output;
  readonly isJson: boolean;
}

/** Runs one turn of an agent, shown as it happens, then lists its sources. With `isJson`, prints one event per line. */
export async function runTurn(query: AgentQuery, { client, output, isJson }: Turn, signal: AbortSignal) {
  const view = new TurnView(output);
  let reply: AgentReply | undefined;
  try {
    for await (const event of client.agent(query, signal)) {
      if (isJson) output.print(JSON.stringify({ event: event.event, data: event.data }));
      const shown = shownFromWire(event);
      if (shown === undefined) continue;
      if (shown.type === 'answer') reply = shown.reply;
      if (!isJson) view.show(shown);
    }
  } finally {
    if (!isJson) view.end();
  }
  if (reply === undefined) throw new ServiceError('internal', 'The turn ended without an answer.');
  if (isJson) return reply;
  await showCitations(reply.citations, client, output);
  noteOutcome(reply, output);
  return reply;
}
