/** Provider-qualified snapshot name; undefined when the provider reported none or the same name. */
export function snapshotName(model: string, given: unknown): string | undefined {
  if (typeof given !== 'string' || !/^[\w.:@/-]{1,200}$/.test(given)) return undefined;
  const prefix = model.slice(0, model.indexOf('/') + 1);
  const qualified = given.startsWith(prefix) ? given : `${prefix}${given}`;
  return qualified === model ? undefined : qualified;
}
