/** A name as a provider gave it, qualified like the one that was asked; undefined when it gave none or the same. */
export function snapshotName(model: string, given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^[\w.:@/-]{1,200}$/.test(given)) return undefined;
  const prefix = model.slice(0, model.indexOf('/') + 1);
  const qualified = given.startsWith(prefix) ? given : `${prefix}${given}`;
  return qualified === model ? undefined : qualified;
}
