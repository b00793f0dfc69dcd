/** Closes in reverse order of opening; continues if one of them fails. */
export async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  let failure: unknown;
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => {
      failure ??= error;
    });
  }
  if (failure !== undefined) throw failure;
}
