import { call } from '../../api/request.ts';
import { forgetRun, type KnownRun, knownRuns } from './known-runs.ts';
import { type StoredMessage, type StoredTurn, toTurns } from './stored-turns.ts';

export interface LoadedConversation {
  readonly turns: readonly StoredTurn[];
  /** Present while the last question is being answered. */
  readonly run?: KnownRun;
}

/** A conversation with the run that answers its last question, if there is one. Throws `RequestFailure`. */
export async function loadConversation(id: string, signal: AbortSignal): Promise<LoadedConversation> {
  const turns = toTurns(
    await call<readonly StoredMessage[]>(`/v3/conversations/${encodeURIComponent(id)}`, { signal }),
  );
  const known = knownRuns().findLast((run) => run.conversation === id);
  const last = turns.at(-1);
  if (last === undefined || last.answer !== undefined) {
    if (known !== undefined) forgetRun(known.run);
    return { turns };
  }
  const run = known ?? (await reportedRun(id, signal));
  return run === undefined ? { turns } : { turns, run };
}

/** The run that another browser has started. */
async function reportedRun(conversation: string, signal: AbortSignal): Promise<KnownRun | undefined> {
  const runs = await call<readonly { id: string; status: string; conversation_id: string | null }[]>(
    '/v3/retrieval/runs',
    { signal },
  );
  const found = runs.find((run) => run.conversation_id === conversation && run.status === 'running');
  return found && { run: found.id, kind: 'agent', conversation, asOf: '' };
}
