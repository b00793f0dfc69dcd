import type { GraphColours } from './colours.ts';
import { labelLeft } from './label-left.ts';

/** A node as sigma hands it to a drawing function; positions and sizes in CSS pixels. */
interface DrawnNode {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly label: string | null;
}

interface LabelSettings {
  readonly labelSize: number;
  readonly labelFont: string;
  readonly labelWeight: string;
}

/** Padding of the box around the label of a hovered node. */
const BOX_PADDING = 7;

/** The two drawing functions of sigma for labels. */
export const labelDrawing = (colours: GraphColours) => ({
  defaultDrawNodeLabel(context: CanvasRenderingContext2D, node: DrawnNode, settings: LabelSettings): void {
    if (!node.label) return;
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    context.fillStyle = colours.text;
    const left = labelLeft(node, context.measureText(node.label).width, context.canvas.clientWidth);
    context.fillText(node.label, left, node.y + settings.labelSize / 3);
  },
  defaultDrawNodeHover(context: CanvasRenderingContext2D, node: DrawnNode): void {
    const text = node.label ?? '';
    context.font = '600 14px system-ui, sans-serif';
    const width = context.measureText(text).width + 2 * BOX_PADDING;
    const left = labelLeft(node, width, context.canvas.clientWidth);
    context.fillStyle = colours.surface;
    context.strokeStyle = colours.other;
    context.beginPath();
    context.roundRect(left, node.y - 12, width, 24, 6);
    context.fill();
    context.stroke();
    context.fillStyle = colours.text;
    context.fillText(text, left + BOX_PADDING, node.y + 5);
  },
});
