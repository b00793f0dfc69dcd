import type { Usage } from './model.ts';

interface Rates {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** US dollars per million tokens. */
export interface Price extends Rates {
  /** Rates for calls whose input is longer than `over` tokens. */
  readonly long?: Rates & { readonly over: number };
}

/** Prices by provider-qualified name or prefix; the longest match counts. */
export type PriceTable = Readonly<Record<string, Price>>;

const price = (input: number, output: number, cachedInput: number, long?: Price['long']): Price => ({
  input,
  cachedInput,
  output,
  ...(long && { long }),
});

const long = (over: number, input: number, output: number, cachedInput: number): NonNullable<Price['long']> => ({
  over,
  input,
  output,
  cachedInput,
});

/**
 * Public list prices as of November 2026, without surcharges for cache writes, regions or priority. CITEWELL_PRICES adds
 * and overrides.
 */
export const listPrices: PriceTable = {
  'openai/gpt-6.1-sol': price(2, 10, 0.1, long(272_000, 4, 15, 0.2)),
  'openai/gpt-6-sol': price(2, 10, 0.2, long(272_000, 4, 15, 0.4)),
  'openai/gpt-6-luna': price(0.1, 0.5, 0.01, long(272_000, 0.2, 0.75, 0.02)),
  'openai/gpt-5': price(1.25, 10, 0.125),
  'openai/gpt-5-mini': price(0.25, 2, 0.025),
  'openai/gpt-5-nano': price(0.05, 0.4, 0.005),
  'openai/gpt-4.1': price(2, 8, 0.5),
  'openai/gpt-4.1-mini': price(0.4, 1.6, 0.1),
  'openai/gpt-4.1-nano': price(0.1, 0.4, 0.025),
  'openai/gpt-4o': price(2.5, 10, 1.25),
  'openai/gpt-4o-mini': price(0.15, 0.6, 0.075),
  'openai/o3': price(2, 8, 0.5),
  'openai/o4-mini': price(1.1, 4.4, 0.275),
  'openai/text-embedding-3-small': price(0.02, 0, 0.02),
  'openai/text-embedding-3-large': price(0.13, 0, 0.13),
  'openai/text-embedding-ada-002': price(0.1, 0, 0.1),
  'anthropic/claude-opus-5-5': price(4, 20, 0.2),
  'anthropic/claude-opus-5': price(5, 25, 0.5),
  'anthropic/claude-opus-4-5': price(5, 25, 0.5),
  'anthropic/claude-opus-4': price(15, 75, 1.5),
  'anthropic/claude-sonnet-5-5': price(2, 10, 0.2),
  'anthropic/claude-sonnet-5': price(2, 10, 0.2),
  'anthropic/claude-sonnet-4': price(3, 15, 0.3),
  'anthropic/claude-haiku-5-5': price(0.1, 0.5, 0.01, long(100_000, 0.5, 2.5, 0.05)),
  'anthropic/claude-haiku-4': price(1, 5, 0.1),
  'ollama/': price(0, 0, 0),
  'builtin/': price(0, 0, 0),
};

/** Price of a model; undefined when no entry matches. */
export function priceOf(model: string, table: PriceTable): Price | undefined {
  const [longest] = Object.keys(table)
    .filter((name) => model === name || (model.startsWith(name) && (name.endsWith('/') || isVariant(model, name))))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : table[longest];
}

// A date or tag after a name does not change the price. A further version number (`gpt-6` and `gpt-6-luna`,
// `claude-opus-4` and `claude-opus-4-9`) makes it another model with an unknown price.
const isVariant = (model: string, name: string): boolean =>
  /^[-:@](\d{4,8}(-\d\d-\d\d)?|latest|preview|v\d.*|\d{1,3}b.*)?$/.test(model.slice(name.length));

/** Cost of one call in US dollars. */
export function costOf(usage: Usage, price: Price): number {
  const { input, cachedInput, output } = ratesFor(usage.input, price);
  const fresh = Math.max(0, usage.input - usage.cachedInput);
  return (fresh * input + usage.cachedInput * cachedInput + usage.output * output) / 1_000_000;
}

/** Output tokens this money buys after `inputTokens`, assuming no cache hits. */
export function outputFor(dollars: number, inputTokens: number, price: Price): number {
  const { input, output } = ratesFor(inputTokens, price);
  const left = dollars * 1_000_000 - inputTokens * input;
  return output === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor(left / output));
}

const ratesFor = (inputTokens: number, price: Price): Rates =>
  price.long !== undefined && inputTokens > price.long.over ? price.long : price;
