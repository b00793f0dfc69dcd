/**
 * The results of `work` for the items, a few concurrently, in order of completion; a result that is not a promise comes
 * before the next item is requested.
 */
export async function* mapConcurrently<Item, Result>(
  items: AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Result | Promise<Result>,
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
      if (!(own instanceof Promise)) {
        yield own;
        continue;
      }
      const settled = own.then((result) => ({ own, result }));
      // Awaited below; this handler prevents an unhandled rejection until then.
      settled.catch(() => undefined);
      inFlight.set(own, settled);
      if (inFlight.size >= limit) yield await next();
    }
    while (inFlight.size > 0) yield await next();
  } finally {
    await Promise.allSettled(inFlight.keys());
  }
}
