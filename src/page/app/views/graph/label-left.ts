/** Distance of a label from its node. */
const GAP = 3;

/** Left edge of a label of this width: right of its node, or left of it if it would exceed the canvas. */
export function labelLeft(
  { x, size }: { readonly x: number; readonly size: number },
  width: number,
  canvasWidth: number,
): number {
  const right = x + size + GAP;
  const left = x - size - GAP - width;
  return right + width > canvasWidth && left >= 0 ? left : right;
}
