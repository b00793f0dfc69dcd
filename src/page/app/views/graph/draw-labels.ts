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
/** Width of the outline that keeps a label readable on nodes and edges behind it. */
const OUTLINE = 4;

/** The two drawing functions of sigma for labels. */
export const labelDrawing = (colours: GraphColours) => ({
  defaultDrawNodeLabel(context: CanvasRenderingContext2D, node: DrawnNode, settings: LabelSettings): void {
    if (!node.label) return;
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const left = labelLeft(node, context.measureText(node.label).width, context.canvas.clientWidth);
    const baseline = node.y + settings.labelSize / 3;
    context.lineWidth = OUTLINE;
    context.lineJoin = 'round';
    context.strokeStyle = colours.surface;
    context.strokeText(node.label, left, baseline);
    context.fillStyle = colours.text;
    context.fillText(node.label, left, baseline);
  },
  defaultDrawNodeHover(context: CanvasRenderingContext2D, node: DrawnNode): void {
    const text = node.label ?? '';
    context.font = '600 14px system-ui, sans-serif';
    const width = context.measureText(text).width + 2 * BOX_PADDING;
    const left = labelLeft(node, width, context.canvas.clientWidth);
    context.fillStyle = colours.surface;
    context.lineWidth = 1;
    context.strokeStyle = colours.other;
    context.beginPath();
    context.roundRect(left, node.y - 12, width, 24, 6);
    context.fill();
    context.stroke();
    context.fillStyle = colours.text;
    context.fillText(text, left + BOX_PADDING, node.y + 5);
  },
});
