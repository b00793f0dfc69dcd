/** How a model's token vectors become one vector: their mean, the first (`cls`) or the last one. */
export type Pooling = 'mean' | 'cls' | 'last_token';
