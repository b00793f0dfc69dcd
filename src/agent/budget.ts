import { ServiceError } from '../errors.ts';
import type { Usage } from '../models/model.ts';
import { costOf, type PriceTable, priceOf } from '../models/prices.ts';

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
  /** The limit that forbids another model call of about this many input tokens, if any. */
  forbids(estimatedInput: number): BudgetReason | undefined;
  /** Aborted when the wall time is used up. */
  readonly timeUp: AbortSignal;
  close(): void;
}

/** Fewest tokens worth asking a model for; with less left, the run ends instead. */
const LEAST_OUTPUT = 64;

/** Counts one run. Throws `invalid_request` for a money limit on a model whose price is unknown. */
export function createBudget(
  limits: BudgetLimits,
  prices: PriceTable,
  models: readonly string[],
  now: () => number = Date.now,
): Budget {
  const unpriced = models.filter((model) => priceOf(model, prices) === undefined);
  if (limits.dollars !== undefined && unpriced.length > 0) {
    throw new ServiceError(
      'invalid_request',
      `A money limit needs a price, and none is known for ${unpriced.join(', ')}. Name it in CITEWELL_PRICES, or limit tokens instead.`,
    );
  }
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
    forbids(estimatedInput) {
      if (timer.signal.aborted) return 'time';
      if (limits.dollars !== undefined && (dollars ?? 0) >= limits.dollars) return 'money';
      if (tokensLeft() < estimatedInput + LEAST_OUTPUT) return 'tokens';
      return steps >= limits.steps ? 'steps' : undefined;
    },
    close: () => clearTimeout(alarm),
  };
}
