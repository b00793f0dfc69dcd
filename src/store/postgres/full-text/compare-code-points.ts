/** Compares by code points, which is also the order of UTF-8 bytes. */
export function compareCodePoints(one: string, two: string): number {
  const shorter = Math.min(one.length, two.length);
  for (let at = 0; at < shorter; at++) {
    const [left, right] = [one.charCodeAt(at), two.charCodeAt(at)];
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return one.length - two.length;
}

/** Ranks surrogates above all other code units, because they encode the highest code points. */
function rankOf(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
