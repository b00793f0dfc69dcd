/** Seconds of processor time an action takes; unlike the clock, it says the same on a busy machine. */
export async function cpuSeconds(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
