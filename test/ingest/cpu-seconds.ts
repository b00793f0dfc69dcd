/** CPU seconds an action takes; unlike wall-clock time, independent of the load on the machine. */
export async function cpuSeconds(action: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000_000;
}
