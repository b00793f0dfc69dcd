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
  const runs = await call<readonly ReportedRun[]>('/v3/retrieval/runs', { signal });
  if (known !== undefined && runs.some((run) => run.id === known.run)) return { turns, run: known };
  // The server was restarted, or has forgotten the run.
  if (known !== undefined) forgetRun(known.run);
  const elsewhere = startedElsewhere(id, last, runs);
  return elsewhere === undefined ? { turns } : { turns, run: elsewhere };
}

/** The run that another browser has started for the last question. */
function startedElsewhere(id: string, { run }: StoredTurn, runs: readonly ReportedRun[]): KnownRun | undefined {
  const common = { conversation: id, isElsewhere: true };
  // The answer of an ended run is not stored if that browser was closed.
  const isKept = runs.some((each) => each.id === run?.id && ['running', 'ended'].includes(each.status));
  if (run !== undefined && isKept) return { ...common, run: run.id, kind: 'answer', asOf: run.asOf };
  const agent = runs.find(({ conversation_id, status }) => conversation_id === id && status === 'running');
  return agent && { ...common, run: agent.id, kind: 'agent', asOf: '' };
}

interface ReportedRun {
  readonly id: string;
  readonly status: string;
  readonly conversation_id: string | null;
}
