import { clientCallsIn } from '../toolbox/client-tools.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import { answerCalls } from './answer-calls.ts';
import { estimateInput } from './estimate-transcript.ts';
import { finish } from './finish.ts';
import { modes } from './modes.ts';
import { makePlan, reviewDraft } from './plan-and-review.ts';
import { streamTurn, type Turn } from './stream-turn.ts';

/**
 * The agent loop: model turn, tool calls, next turn, until a turn calls no tool or a limit is reached. The last allowed
 * step gets no tools, so it must answer. A turn that calls functions of the caller ends the run; its other calls are
 * not executed. Ends with `final_answer` or throws ServiceError.
 */
export async function* runAgent(run: AgentRun): AsyncGenerator<AgentEvent, void> {
  let last: Turn | undefined;
  let draft: Turn | undefined;
  if (modes[run.mode].plansAndReviews) yield* makePlan(run);
  for (;;) {
    run.transcript = await run.compact(run.transcript, AbortSignal.any([run.signal, run.budget.timeUp]));
    const input = estimateInput(run);
    const limit = run.budget.limitExceededBy(input);
    if (limit !== undefined) return yield* finish(run, last, limit);
    run.budget.startStep();
    const turn: Turn = yield* streamTurn(run, run.budget.limitAfterStep(input));
    if (turn.text !== '') last = turn;
    if (turn.abortedBy !== undefined) return yield* finish(run, last, turn.abortedBy);
    const clientCalls = clientCallsIn(turn.calls, run.clientTools);
    if (clientCalls.length > 0) return yield* finish(run, turn, turn.ended, clientCalls);
    if (turn.calls.length > 0) {
      yield* answerCalls(run, turn.calls);
      continue;
    }
    // If the revision wrote nothing, the draft is the answer.
    if (draft !== undefined) return yield* finish(run, turn.text === '' ? draft : turn, turn.ended);
    draft = turn;
    if (!(yield* reviewDraft(run, draft))) return yield* finish(run, draft, draft.ended);
  }
}
