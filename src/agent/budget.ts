import { ServiceError } from '../errors.ts';
import type { Usage } from '../models/model.ts';
import { costOf, outputFor, type PriceTable, priceOf } from '../models/prices.ts';

/** Hard limits of one run; undefined means unlimited. Tokens count all input, cached input too, and all output. */
export interface BudgetLimits {
  readonly steps: number;
  readonly tokens?: number;
  readonly seconds?: number;
  readonly dollars?: number;
}

export type BudgetReason = 'steps' | 'tokens' | 'time' | 'money';

/** What a run has used so far. `dollars` is null when a model without a known price took part. */
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
  /** Tokens that may still be used; Infinity without a limit. */
  tokensLeft(): number;
  /** Tokens that may be written by a call that reads so many; Infinity without a limit. */
  outputLeft(estimatedInput: number): number;
  /** The limit that forbids another model call of about this many input tokens, if any. */
  forbids(estimatedInput: number): BudgetReason | undefined;
  /** The limit that makes the step just begun the last one, if any: what it starts could not be followed up. */
  isLast(estimatedInput: number): BudgetReason | undefined;
  /** Aborted when the wall time is used up. */
  readonly timeUp: AbortSignal;
  close(): void;
}

/** Fewest tokens worth asking a model for; with less left, the run ends instead. */
const MIN_OUTPUT = 64;
// The step after this one reads what this one read, what it wrote, and what its tools brought.
const GROWTH = 1.5;

export interface BudgetParts {
  readonly limits: BudgetLimits;
  readonly prices: PriceTable;
  /** The run's own model first, then others that may take part. */
  readonly models: readonly [string, ...string[]];
  readonly now?: () => number;
}

/** Counts one run. Throws `invalid_request` for a money limit on a model whose price is unknown. */
export function createBudget({ limits, prices, models, now = () => performance.now() }: BudgetParts): Budget {
  const unpriced = [...new Set(models)].filter((model) => priceOf(model, prices) === undefined);
  if (limits.dollars !== undefined && unpriced.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `A money limit needs a price, and none is known for ${unpriced.join(', ')}. Name it in CITEWELL_PRICES, or limit tokens instead.`,
    );
  }
  const ownPrice = priceOf(models[0], prices);
  const started = now();
  const timer = new AbortController();
  const alarm =
    limits.seconds === undefined
      ? undefined
      : setTimeout(() => timer.abort(), Math.min(limits.seconds * 1000, 2 ** 31 - 1));
  alarm?.unref();
  let total: Usage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };
  let steps = 0;
  let dollars: number | null = 0;

  const tokensLeft = () => (limits.tokens ?? Number.POSITIVE_INFINITY) - total.input - total.output;
  /** What the money left buys, by the run's own model. What was spent on one without a price can not be counted. */
  const outputForMoney = (input: number): number => {
    if (limits.dollars === undefined) return Number.POSITIVE_INFINITY;
    if (dollars === null || ownPrice === undefined) return 0;
    return outputFor(limits.dollars - dollars, input, ownPrice);
  };
  const outputLeft = (input: number) => Math.min(tokensLeft() - input, outputForMoney(input));
  const forbids = (input: number): BudgetReason | undefined => {
    if (timer.signal.aborted) return 'time';
    if (outputForMoney(input) < MIN_OUTPUT) return 'money';
    if (tokensLeft() - input < MIN_OUTPUT) return 'tokens';
    return steps >= limits.steps ? 'steps' : undefined;
  };
  return {
    limits,
    timeUp: timer.signal,
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
    forbids,
    isLast: (input) => forbids(input + Math.ceil(input * GROWTH) + MIN_OUTPUT),
    close: () => clearTimeout(alarm),
  };
}
