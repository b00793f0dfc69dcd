/** The latest work of each name in this tab. */
const latest = new Map<string, Promise<unknown>>();

/**
 * Runs `work` after earlier work of the same name, in this tab and in the others. Addresses that are neither https nor
 * of this machine have no locks; there, tabs do not wait for each other.
 */
export function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  if ('locks' in navigator) return navigator.locks.request(`citewell ${name}`, work);
  const result = (latest.get(name) ?? Promise.resolve()).then(work, work);
  latest.set(name, result);
  return result;
}
