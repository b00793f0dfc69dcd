import { ServiceError } from '../errors.ts';
import { noUsage, type Usage } from '../models/model.ts';
import { costOf, outputFor, type PriceTable, priceOf } from '../models/prices.ts';

/** Hard limits of one run; undefined means unlimited. Tokens are all input (cached input included) plus all output. */
export interface BudgetLimits {
  readonly steps: number;
  readonly tokens?: number;
  readonly seconds?: number;
  readonly dollars?: number;
}

export type BudgetReason = 'steps' | 'tokens' | 'time' | 'money';

/** Usage of a run so far. `dollars` is null when a model without a known price was used. */
export interface Spend extends Usage {
  readonly steps: number;
  readonly seconds: number;
  readonly dollars: number | null;
}

export interface Budget {
  readonly limits: BudgetLimits;
  startStep(): void;
  add(model: string, usage: Usage): void;
  spent(): Spend;
  /** Remaining tokens; Infinity without a limit. */
  tokensLeft(): number;
  /** Output tokens allowed for a call with this many input tokens; Infinity without a limit. */
  outputLeft(estimatedInput: number): number;
  /** The limit that a further model call with about this many input tokens would exceed. */
  limitExceededBy(estimatedInput: number): BudgetReason | undefined;
  /** The limit that makes the current step the last one, because nothing is left to process its tool results. */
  limitAfterStep(estimatedInput: number): BudgetReason | undefined;
  /** Aborted when the time limit expires. */
  readonly timeUp: AbortSignal;
  close(): void;
}

/** Minimum output tokens for a model call; with less left, the run ends. */
const MIN_OUTPUT_TOKENS = 64;
// Estimated growth of the input from one step to the next: transcript, reply and tool results.
const INPUT_GROWTH = 1.5;

export interface BudgetParts {
  readonly limits: BudgetLimits;
  readonly prices: PriceTable;
  /** The run's main model first, then auxiliary models. */
  readonly models: readonly [string, ...string[]];
  readonly now?: () => number;
}

/** Throws `invalid_request` for a money limit if the price of a model is unknown. */
export function requirePrices({ limits, prices, models }: Omit<BudgetParts, 'now'>): void {
  const unpriced = [...new Set(models)].filter((model) => priceOf(model, prices) === undefined);
  if (limits.dollars === undefined || unpriced.length === 0) return;
  throw new ServiceError(
    'invalid_request',
    `A money limit needs a price, and none is known for ${unpriced.join(', ')}. Name it in CITEWELL_PRICES, or limit tokens instead.`,
  );
}

/** Creates the budget of one run, whose time begins now. The prices of its models were checked before. */
export function createBudget({ limits, prices, models, now = () => performance.now() }: BudgetParts): Budget {
  const ownPrice = priceOf(models[0], prices);
  const started = now();
  const timeLimit = new AbortController();
  const timer =
    limits.seconds === undefined
      ? undefined
      : setTimeout(() => timeLimit.abort(), Math.min(limits.seconds * 1000, 2 ** 31 - 1));
  timer?.unref();
  let total = noUsage;
  let steps = 0;
  let dollars: number | null = 0;

  const tokensLeft = () => (limits.tokens ?? Number.POSITIVE_INFINITY) - total.input - total.output;
  /** Output tokens the remaining money buys at the main model's price. Excludes usage of models without a price. */
  const affordableOutput = (input: number): number => {
    if (limits.dollars === undefined) return Number.POSITIVE_INFINITY;
    if (dollars === null || ownPrice === undefined) return 0;
    return outputFor(limits.dollars - dollars, input, ownPrice);
  };
  const outputLeft = (input: number) => Math.min(tokensLeft() - input, affordableOutput(input));
  const limitExceededBy = (input: number): BudgetReason | undefined => {
    if (timeLimit.signal.aborted) return 'time';
    if (affordableOutput(input) < MIN_OUTPUT_TOKENS) return 'money';
    if (tokensLeft() - input < MIN_OUTPUT_TOKENS) return 'tokens';
    return steps >= limits.steps ? 'steps' : undefined;
  };
  return {
    limits,
    timeUp: timeLimit.signal,
    startStep: () => {
      steps++;
    },
    add(model, usage) {
      total = {
        input: total.input + usage.input,
        cachedInput: total.cachedInput + usage.cachedInput,
        output: total.output + usage.output,
        reasoning: total.reasoning + usage.reasoning,
      };
      const price = priceOf(model, prices);
      dollars = dollars === null || price === undefined ? null : dollars + costOf(usage, price);
    },
    spent: () => ({ ...total, steps, seconds: (now() - started) / 1000, dollars }),
    tokensLeft,
    outputLeft,
    limitExceededBy,
    limitAfterStep: (input) => limitExceededBy(input + Math.ceil(input * INPUT_GROWTH) + MIN_OUTPUT_TOKENS),
    close: () => clearTimeout(timer),
  };
}
