/** `about $0.0042`; `free of charge` for models without a price, such as those of this machine. */
export const aboutDollars = (cost: number): string =>
  cost === 0 ? 'free of charge' : `about $${cost.toFixed(cost < 1 ? 4 : 2)}`;
