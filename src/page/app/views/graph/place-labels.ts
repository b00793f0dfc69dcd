/** Distance of a label from its node. */
const GAP = 3;

/** A node with the width of its label; all in CSS pixels. */
export interface LabelledNode {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly width: number;
}

/** Left edge and middle of a label. */
export interface LabelPlace {
  readonly left: number;
  readonly middle: number;
}

/** Left edge of a label of this width: right of its node, or left of it if it would exceed the canvas. */
export function labelLeft({ x, size, width }: Omit<LabelledNode, 'y'>, canvasWidth: number): number {
  const right = x + size + GAP;
  const left = x - size - GAP - width;
  return right + width > canvasWidth && left >= 0 ? left : right;
}

/**
 * Places for labels of this height, so that none covers another: beside its node, else below or above it. The first
 * nodes choose first; a label without room has no place.
 */
export function placeLabels(
  nodes: readonly LabelledNode[],
  { height, canvasWidth }: { readonly height: number; readonly canvasWidth: number },
): (LabelPlace | undefined)[] {
  const taken: (LabelPlace & { readonly width: number })[] = [];
  return nodes.map((node) => {
    const { x, y, size, width } = node;
    const preferred = labelLeft(node, canvasWidth);
    const other = preferred > x ? x - size - GAP - width : x + size + GAP;
    const centred = x - width / 2;
    const apart = size + GAP + height / 2;
    const isFree = ({ left, middle }: LabelPlace) =>
      taken.every(
        (label) =>
          left + width <= label.left || label.left + label.width <= left || Math.abs(middle - label.middle) >= height,
      );
    const isWithin = ({ left }: LabelPlace) => left >= 0 && left + width <= canvasWidth;
    const place =
      // The preferred place may exceed the canvas: a long label is cut off rather than missing.
      [{ left: preferred, middle: y }].find(isFree) ??
      [
        { left: other, middle: y },
        { left: centred, middle: y + apart },
        { left: centred, middle: y - apart },
      ].find((each) => isWithin(each) && isFree(each));
    if (place !== undefined) taken.push({ ...place, width });
    return place;
  });
}
