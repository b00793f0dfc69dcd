const endless = new WeakSet<object>();

/** Marks a response that ends only when its client disconnects, so that a graceful shutdown does not wait for it. */
export const markEndless = (response: object): void => void endless.add(response);

export const isMarkedEndless = (response: object): boolean => endless.has(response);
