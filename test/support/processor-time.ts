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

/** Between 1, the relative cost of linear work, and 10, that of quadratic work. */
export const LINEAR_COST = 4;
const TRIES = 3;

/**
 * How many times as much processor time `work` takes for one input of ten times the size as for ten inputs of the size:
 * independent of the speed of the machine. What disturbs one measurement does not disturb all, so the least of several
 * counts.
 */
export function relativeCost(work: (size: number) => void, size: number): number {
  // Compiled before it is measured.
  for (let count = 0; count < 3; count++) work(size);
  let min = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && min >= LINEAR_COST; tries++) {
    const ofTen = processorTime(() => {
      for (let count = 0; count < 10; count++) work(size);
    });
    min = Math.min(min, processorTime(() => work(10 * size)) / ofTen);
  }
  return min;
}
