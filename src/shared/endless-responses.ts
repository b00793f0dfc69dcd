const endless = new WeakSet<object>();

/** Says that a response ends only when its client leaves, so that a server that stops does not wait for it. */
export const markEndless = (response: object): void => void endless.add(response);

export const isMarkedEndless = (response: object): boolean => endless.has(response);
