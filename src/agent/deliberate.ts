import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import { askOnce } from './ask-once.ts';
import { estimateTranscript } from './estimate-transcript.ts';
import type { Turn } from './stream-turn.ts';

const PLAN = `Before any tool is called, write a short plan for the last question: the sub-questions to settle, which tool each needs, and what would count as enough. At most eight lines. If the question needs no research, reply with the single word NONE.`;

const REVIEW = `Review the draft answer above as a strict editor: statements that no source supports, wrong or missing markers, sources that disagree, parts of the question left open. If it can stand, reply with the single word FINE. Otherwise list what to mend, at most six lines.`;

/** Share of the token or step budget that must be left for a review to be worth its cost. */
const LEAST_LEFT = 0.25;

/** Research plans first: the plan becomes part of the transcript, and is shown as thinking. */
export async function* makePlan(run: AgentRun): AsyncGenerator<AgentEvent, void> {
  if (run.isExtractive || run.budget.forbids(estimateTranscript(run.transcript)) !== undefined) return;
  const plan = await askOnce(run, [...run.transcript, { role: 'user', text: PLAN }], 800);
  if (plan === undefined || plan.startsWith('NONE')) return;
  if (run.config.extendedThinking === true) yield { type: 'thinking', text: `Plan:\n${plan}\n` };
  run.transcript = [
    ...run.transcript,
    { role: 'assistant', text: `Plan:\n${plan}` },
    { role: 'user', text: 'Carry out the plan with the tools, keeping to what they return, then answer.' },
  ];
}

/** True when the draft has flaws worth another turn and the budget allows one; the flaws are then in the transcript. */
export async function* reviewDraft(run: AgentRun, draft: Turn): AsyncGenerator<AgentEvent, boolean> {
  if (run.isExtractive || !isWorthReviewing(run, draft)) return false;
  const weak = draft.citations
    .flatMap((citation) => citation.checks.filter(({ verdict }) => verdict === 'not_found' || verdict === 'elsewhere'))
    .map(({ statement, verdict }) => `- (${verdict}) ${statement}`);
  const facts =
    weak.length === 0
      ? ''
      : `\n\nA check of the citations found these statements not backed by the source they name:\n${weak.join('\n')}`;
  const review = await askOnce(run, [...run.transcript, { role: 'user', text: `${REVIEW}${facts}` }], 800);
  if (review === undefined || review.startsWith('FINE')) return false;
  if (run.config.extendedThinking === true) yield { type: 'thinking', text: `Review of the draft:\n${review}\n` };
  run.transcript = [
    ...run.transcript,
    {
      role: 'user',
      text: `A review of your draft says:\n${review}${facts}\n\nMend it, searching again where needed, and give the whole answer anew.`,
    },
  ];
  return true;
}

function isWorthReviewing({ budget, transcript }: AgentRun, draft: Turn): boolean {
  const { steps, tokens } = budget.limits;
  const input = estimateTranscript(transcript);
  if (draft.text.trim() === '' || budget.forbids(2 * input) !== undefined) return false;
  const stepsLeft = (steps - budget.spent().steps) / steps;
  const tokensLeft = tokens === undefined ? 1 : budget.tokensLeft() / tokens;
  return Math.min(stepsLeft, tokensLeft) >= LEAST_LEFT;
}
