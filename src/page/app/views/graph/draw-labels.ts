import type { GraphColours } from './colours.ts';
import { labelLeft, placeLabels } from './place-labels.ts';

/** A node as sigma hands it to a drawing function; positions and sizes in CSS pixels. */
interface DrawnNode {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly label: string | null;
  readonly highlighted?: boolean;
}

interface LabelSettings {
  readonly labelSize: number;
  readonly labelFont: string;
  readonly labelWeight: string;
}

interface WaitingLabel {
  readonly context: CanvasRenderingContext2D;
  readonly node: DrawnNode;
  readonly text: string;
  readonly settings: LabelSettings;
}

/** Padding of the box around the label of a hovered node. */
const BOX_PADDING = 7;
/** Width of the outline that keeps a label readable on nodes and edges behind it. */
const OUTLINE = 4;

/**
 * The two drawing functions of sigma for labels. The labels of a picture are drawn together by `drawLabels`, so that
 * those of larger nodes take precedence where there is no room for all.
 */
export function labelDrawing(colours: GraphColours) {
  let waiting: WaitingLabel[] = [];
  return {
    functions: {
      defaultDrawNodeLabel(context: CanvasRenderingContext2D, node: DrawnNode, settings: LabelSettings): void {
        if (node.label) waiting.push({ context, node, text: node.label, settings });
      },
      defaultDrawNodeHover: (context: CanvasRenderingContext2D, node: DrawnNode) => drawHovered(context, node, colours),
    },
    drawLabels(): void {
      const labels = waiting.toSorted((one, other) => rank(other.node) - rank(one.node));
      waiting = [];
      const [first] = labels;
      if (first === undefined) return;
      const { context, settings } = first;
      context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
      context.lineWidth = OUTLINE;
      context.lineJoin = 'round';
      context.strokeStyle = colours.surface;
      context.fillStyle = colours.text;
      const nodes = labels.map(({ node, text }) => ({ ...node, width: context.measureText(text).width }));
      const height = settings.labelSize + OUTLINE;
      const places = placeLabels(nodes, { height, canvasWidth: context.canvas.clientWidth });
      labels.forEach(({ text }, at) => {
        const place = places[at];
        if (place === undefined) return;
        const baseline = place.middle + settings.labelSize / 3;
        context.strokeText(text, place.left, baseline);
        context.fillText(text, place.left, baseline);
      });
    },
  };
}

/** Larger for labels that matter more. */
const rank = ({ size, highlighted }: DrawnNode): number => (highlighted === true ? 1_000 + size : size);

function drawHovered(context: CanvasRenderingContext2D, node: DrawnNode, colours: GraphColours): void {
  const text = node.label ?? '';
  context.font = '600 14px system-ui, sans-serif';
  const width = context.measureText(text).width + 2 * BOX_PADDING;
  const left = labelLeft({ ...node, width }, context.canvas.clientWidth);
  context.fillStyle = colours.surface;
  context.lineWidth = 1;
  context.strokeStyle = colours.other;
  context.beginPath();
  context.roundRect(left, node.y - 12, width, 24, 6);
  context.fill();
  context.stroke();
  context.fillStyle = colours.text;
  context.fillText(text, left + BOX_PADDING, node.y + 5);
}
