/**
 * The processor time that `work` takes, in milliseconds. For tests that guard against quadratic time on hostile input:
 * unlike wall time it hardly depends on the load of the machine.
 */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
