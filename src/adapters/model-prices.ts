import { defaultSettings } from '../compose/settings.ts';
import type { Config } from '../config.ts';
import { type PriceTable, priceOf } from '../models/prices.ts';

const FREE = { input: 0, cachedInput: 0, output: 0 };

/** Models of servers on this machine cost nothing, unless `CITEWELL_PRICES` gives them a price. */
export const modelPrices = ({ localServers, prices }: Pick<Config, 'localServers' | 'prices'>): PriceTable => ({
  ...defaultSettings.prices,
  ...Object.fromEntries(localServers.map(({ name }) => [`${name}/`, FREE])),
  ...prices,
});

/** Whether a model is known to cost nothing. */
export function isFree(model: string, prices: PriceTable): boolean {
  const price = priceOf(model, prices);
  return price !== undefined && price.input === 0 && price.output === 0 && price.long === undefined;
}
