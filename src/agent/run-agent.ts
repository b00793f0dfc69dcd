import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import { answerCalls } from './answer-calls.ts';
import { makePlan, reviewDraft } from './deliberate.ts';
import { estimateTranscript } from './estimate-transcript.ts';
import { finish } from './finish.ts';
import { modes } from './modes.ts';
import { streamTurn, type Turn } from './stream-turn.ts';

/**
 * The loop: a turn of the model, its tool calls, the next turn, until a turn calls no tool or a limit is reached. The
 * last permitted step may call none and so must answer. Ends with `final_answer`, or throws ServiceError.
 */
export async function* runAgent(run: AgentRun): AsyncGenerator<AgentEvent, void> {
  let last: Turn | undefined;
  if (modes[run.mode].isDeliberate) yield* makePlan(run);
  for (let reviewed = false; ; ) {
    run.transcript = await run.compact(run.transcript, run.signal);
    const limit = run.budget.forbids(estimateTranscript(run.transcript));
    if (limit !== undefined) return yield* finish(run, last, limit);
    run.budget.startStep();
    const turn: Turn = yield* streamTurn(run, { mustAnswer: run.budget.forbids(0) === 'steps' });
    if (turn.text !== '') last = turn;
    if (turn.cut !== undefined) return yield* finish(run, last, turn.cut);
    if (turn.calls.length > 0) {
      yield* answerCalls(run, turn.calls);
      continue;
    }
    if (!modes[run.mode].isDeliberate || reviewed) return yield* finish(run, turn, turn.ended);
    reviewed = true;
    if (!(yield* reviewDraft(run, turn))) return yield* finish(run, turn, turn.ended);
  }
}
