/** The greatest integer that JavaScript formats by its fastest path. */
const LARGEST_INTEGER = 2 ** 31 - 1;

/**
 * A vector as a JSON array of integers with a common power of ten, which is formatted in a quarter of the time that
 * JSON.stringify takes for the 17 digits of each component, and read faster. Components are rounded to less than 5e-9
 * of the largest one; those above a tenth of it remain the same 32-bit numbers.
 */
export function vectorJson(vector: Float32Array): string {
  let largest = 0;
  for (const component of vector) largest = Math.max(largest, Math.abs(component));
  // Also if a component is not a number, so that the receiver refuses the vector.
  if (largest === 0 || !Number.isFinite(largest)) return JSON.stringify(Array.from(vector));
  const digits = Math.floor(Math.log10(LARGEST_INTEGER / largest));
  const scale = 10 ** digits;
  const exponent = `e${-digits}`;
  let json = '';
  for (const component of vector) json += `,${Math.round(component * scale)}${exponent}`;
  return `[${json.slice(1)}]`;
}
