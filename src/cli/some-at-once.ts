/** What `work` gives for each item, a few at a time, in the order in which they are done. */
export async function* someAtOnce<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const inFlight = new Map<Promise<Result>, Promise<{ readonly own: Promise<Result>; readonly result: Result }>>();
  const next = async (): Promise<Result> => {
    const { own, result } = await Promise.race(inFlight.values());
    inFlight.delete(own);
    return result;
  };
  try {
    for await (const item of items) {
      const own = work(item);
      const told = own.then((result) => ({ own, result }));
      // It is awaited below; until then a failure must not count as one that nobody handles.
      told.catch(() => undefined);
      inFlight.set(own, told);
      if (inFlight.size >= limit) yield await next();
    }
    while (inFlight.size > 0) yield await next();
  } finally {
    await Promise.allSettled(inFlight.keys());
  }
}
