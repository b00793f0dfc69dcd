import type { Usage } from './model.ts';

/** US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/** Prices by provider-qualified name or the beginning of one; the longest match counts. */
export type PriceTable = Readonly<Record<string, Price>>;

const price = (input: number, output: number, cachedInput: number): Price => ({ input, cachedInput, output });

/** Public list prices as known at the end of 2025. CITEWELL_PRICES overrides and adds. */
export const listPrices: PriceTable = {
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
  'anthropic/claude-opus-4': price(15, 75, 1.5),
  'anthropic/claude-opus-4-5': price(5, 25, 0.5),
  'anthropic/claude-sonnet-4': price(3, 15, 0.3),
  'anthropic/claude-haiku-4': price(1, 5, 0.1),
  'ollama/': price(0, 0, 0),
  'builtin/': price(0, 0, 0),
};

/** What a name costs; undefined when the table knows nothing that begins like it. */
export function priceOf(model: string, table: PriceTable): Price | undefined {
  const [longest] = Object.keys(table)
    .filter(
      (name) =>
        model === name || (model.startsWith(name) && (name.endsWith('/') || /[-:.@]/.test(model.charAt(name.length)))),
    )
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : table[longest];
}

/** US dollars for this usage. */
export function costOf(usage: Usage, { input, cachedInput, output }: Price): number {
  const fresh = Math.max(0, usage.input - usage.cachedInput);
  return (fresh * input + usage.cachedInput * cachedInput + usage.output * output) / 1_000_000;
}
