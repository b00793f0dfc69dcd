/**
 * Returns a function that starts the work with its first call and shares the result with all later ones. A failure is
 * not kept: it may be temporary, such as a restart of the database, so the next call starts the work again.
 */
export function lazyResult<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let started: Promise<Result> | undefined;
  return () => {
    started ??= work().catch((error: unknown) => {
      started = undefined;
      throw error;
    });
    return started;
  };
}
