/** How token vectors are combined into one: by their mean, or by taking the first (`cls`) or the last. */
export type Pooling = 'mean' | 'cls' | 'last_token';
