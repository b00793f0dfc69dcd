import { supports } from '../citations/verdict.ts';
import { estimateTokens } from '../documents/estimate-tokens.ts';
import type { Message, ToolCall } from '../models/message.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentRun } from './agent-run.ts';
import { answerCalls } from './answer-calls.ts';
import { askSideQuestion } from './ask-side-question.ts';
import { estimateInput } from './estimate-transcript.ts';
import { modes } from './modes.ts';
import type { Turn } from './stream-turn.ts';

const PLAN = `Before any tool is called, write a short plan for the last question: the sub-questions to settle, which tool each needs, and what would count as enough. At most eight lines. If the question needs no research, reply with the single word NONE.`;
const PLAN_TOKENS = 800;

/** Name of the tool that reviews a draft; without it in the request there is no review. */
const REVIEWER = 'critique';

/** Minimum steps left for a plan to be useful. */
const MIN_STEPS_FOR_PLAN = 3;
/** Minimum share of the token or step budget that must be left for a review. */
const MIN_BUDGET_SHARE = 0.25;

/** Maximum tokens of a one-sentence question that is answered without a plan. */
const MAX_SIMPLE_QUESTION_TOKENS = 30;
/** Maximum tokens of a one-line draft with supported citations that is answered without a review. */
const MAX_SHORT_REPLY_TOKENS = 80;

/**
 * Research mode: writes a plan before the first step unless the question is simple. The plan is added to the transcript
 * and shown as thinking. It does not count as a step.
 */
export async function* makePlan(run: AgentRun): AsyncGenerator<AgentEvent, void> {
  const input = estimateInput(run);
  if (run.isExtractive || run.tools.length === 0 || run.budget.limits.steps < MIN_STEPS_FOR_PLAN) return;
  // The plan was made when the question arrived, before the caller's functions were called.
  if (run.clientTools.exchange.length > 0) return;
  if (isSimple(run.question)) return;
  if (run.budget.limitAfterStep(input) !== undefined) return;
  const plan = await askSideQuestion(run, [...run.transcript, { role: 'user', text: PLAN }], PLAN_TOKENS);
  if (plan === undefined || plan === '' || plan.startsWith('NONE')) return;
  if (run.config.extendedThinking === true) yield { type: 'thinking', text: `Plan:\n${plan}\n` };
  run.transcript = [
    ...run.transcript,
    { role: 'assistant', text: `Plan:\n${plan}` },
    { role: 'user', text: 'Carry out the plan with the tools, keeping to what they return, then answer.' },
  ];
}

const isSimple = (question: string): boolean =>
  estimateTokens(question) <= MAX_SIMPLE_QUESTION_TOKENS && !/[.?!。？！]\s*\S|\n\s*\S/.test(question.trim());

const isShort = (text: string): boolean =>
  !text.trim().includes('\n') && estimateTokens(text) <= MAX_SHORT_REPLY_TOKENS;

/**
 * Research mode: has the draft reviewed before it becomes the answer, when the budget allows it. The review is a call
 * to the tool that is also offered to the model, and appears as a tool call. Returns true when the draft needs changes;
 * the review is then in the transcript.
 */
export async function* reviewDraft(run: AgentRun, draft: Turn): AsyncGenerator<AgentEvent, boolean> {
  if (!isWorthReviewing(run, draft)) return false;
  const weak = weakStatements(draft);
  const call: ToolCall = {
    id: `review_${run.toolCalls.length + 1}`,
    name: REVIEWER,
    arguments: {
      query: `The last reply of the assistant, which is the draft of its answer.${weak}`.slice(0, 4000),
      focus_areas: ['facts', 'citations', 'coverage'],
    },
  };
  run.transcript = withReviewerCall(run.transcript, call);
  const [outcome] = yield* answerCalls(run, [call]);
  const verdict = outcome?.isError === false ? outcome.output.structured['verdict'] : 'sound';
  if (verdict === 'sound' && weak === '') return false;
  run.transcript = [
    ...run.transcript,
    {
      role: 'user',
      text: `Revise the draft according to this review, searching again where needed, and give the complete answer.${weak}`,
    },
  ];
  return true;
}

function isWorthReviewing(
  { mode, isExtractive, tools, clientTools, toolCalls, budget, transcript }: AgentRun,
  draft: Turn,
): boolean {
  if (!modes[mode].plansAndReviews || isExtractive || draft.ended !== 'end' || draft.text.trim() === '') return false;
  if (!tools.some(({ name }) => name === REVIEWER) || toolCalls.some(({ name }) => name === REVIEWER)) return false;
  if (isShort(draft.text) && isSupported(draft)) return false;
  const { steps, tokens } = budget.limits;
  // Both the review and the revision turn read the whole transcript.
  if (budget.limitAfterStep(estimateInput({ transcript, tools, clientTools })) !== undefined) return false;
  const stepsLeft = (steps - budget.spent().steps) / steps;
  const tokensLeft = tokens === undefined ? 1 : budget.tokensLeft() / tokens;
  return Math.min(stepsLeft, tokensLeft) >= MIN_BUDGET_SHARE;
}

/** Whether every citation is supported by its source, as checked without a model. */
const isSupported = ({ citations }: Turn): boolean =>
  citations.every(({ checks }) => checks.every(({ verdict }) => supports(verdict)));

/** Statements that the citation check did not find supported. */
function weakStatements({ citations }: Turn): string {
  const weak = citations
    .flatMap((citation) => citation.checks.filter(({ verdict }) => verdict === 'not_found' || verdict === 'elsewhere'))
    .map(({ statement, verdict }) => `- (${verdict}) ${statement}`);
  return weak.length === 0
    ? ''
    : `\n\nA check of the citations found these statements not backed by the source they name:\n${weak.join('\n')}`;
}

/** The draft as an assistant message that calls the reviewer; providers require a call before a tool result. */
function withReviewerCall(transcript: readonly Message[], call: ToolCall): readonly Message[] {
  const last = transcript.at(-1);
  return last?.role === 'assistant' ? [...transcript.slice(0, -1), { ...last, toolCalls: [call] }] : transcript;
}
