/**
 * The processor time that `work` takes, in milliseconds. For guards against work that grows with the square of hostile
 * input: unlike the time of a clock it hardly depends on what else the machine does.
 */
export function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
