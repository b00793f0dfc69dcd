/** Normalises to unit length; undefined for a zero vector or one with a non-finite component. */
export function unitVector(numbers: ArrayLike<number>): Float32Array | undefined {
  let sum = 0;
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0;
    // A product, not `**`, whose rounding differs between platforms.
    sum += number * number;
  }
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length) || length === 0) return undefined;
  // Much faster than Float32Array.from with a function.
  const unit = new Float32Array(numbers.length);
  for (let index = 0; index < numbers.length; index++) unit[index] = (numbers[index] ?? 0) / length;
  return unit;
}
