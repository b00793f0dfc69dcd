import { MultiGraph } from 'graphology';
import Sigma from 'sigma';
import type { GraphColours } from './colours.ts';
import { labelDrawing } from './draw-labels.ts';
import type { GraphView } from './graph-shape.ts';
import { layOut } from './lay-out.ts';

export interface Drawing {
  /** Highlights a node and its neighbours; undefined highlights none. */
  select(id: string | undefined): void;
  close(): void;
}

export interface DrawingParts {
  readonly view: GraphView;
  readonly colours: GraphColours;
  /** Colour by community. */
  readonly colourOf: ReadonlyMap<string, string>;
  readonly onNode: (id: string | undefined) => void;
  readonly onEdge: (id: string) => void;
}

/** A graph with at most this many nodes has room for the names of all of them, not only of the most mentioned. */
const SMALL = 60;

/** Draws the graph. Throws if the browser lacks WebGL, and the reason of the signal. */
export async function drawGraph(
  element: HTMLElement,
  { view, colours, colourOf, onNode, onEdge }: DrawingParts,
  signal: AbortSignal,
): Promise<Drawing> {
  const graph = toGraph({ view, colours, colourOf });
  await layOut(graph, signal);
  let selected: string | undefined;
  let near = new Set<string>();
  const labels = labelDrawing(colours);
  const renderer = new Sigma(graph, element, {
    allowInvalidContainer: true,
    enableEdgeEvents: true,
    labelColor: { color: colours.text },
    labelFont: 'system-ui, sans-serif',
    ...(view.nodes.length <= SMALL
      ? { labelRenderedSizeThreshold: 0, labelDensity: 3 }
      : { labelRenderedSizeThreshold: 7, labelDensity: 1 }),
    zIndex: true,
    nodeReducer: (id, attributes) => {
      // Its label is drawn over those of its neighbours.
      if (id === selected) return { ...attributes, highlighted: true, zIndex: 2 };
      if (selected === undefined || near.has(id)) {
        return { ...attributes, forceLabel: selected !== undefined, zIndex: 1 };
      }
      return { ...attributes, color: colours.faded, label: '', zIndex: 0 };
    },
    edgeReducer: (id, attributes) => {
      if (selected === undefined) return attributes;
      return graph.hasExtremity(id, selected)
        ? { ...attributes, color: colours.other, zIndex: 1 }
        : { ...attributes, hidden: true };
    },
    ...labels.functions,
  });
  renderer.on('afterRender', labels.drawLabels);
  // The first picture is drawn before anybody can listen.
  labels.drawLabels();
  renderer.on('clickNode', ({ node }) => onNode(node));
  renderer.on('clickEdge', ({ edge }) => onEdge(edge));
  renderer.on('clickStage', () => onNode(undefined));
  return {
    select(id) {
      selected = id !== undefined && graph.hasNode(id) ? id : undefined;
      near = new Set(selected === undefined ? [] : graph.neighbors(selected));
      renderer.refresh();
    },
    close: () => renderer.kill(),
  };
}

/** The nodes and edges with sizes, colours and initial positions. */
function toGraph({ view, colours, colourOf }: Pick<DrawingParts, 'view' | 'colours' | 'colourOf'>): MultiGraph {
  const graph = new MultiGraph();
  const max = Math.max(1, ...view.nodes.map(({ mentions }) => mentions));
  view.nodes.forEach((node, at) => {
    // A deterministic spiral as the initial layout, so that the drawing is reproducible.
    const angle = at * 2.4;
    const radius = Math.sqrt(at + 1);
    graph.addNode(node.id, {
      label: node.label,
      x: radius * Math.cos(angle),
      y: radius * Math.sin(angle),
      size: 2.5 + 9 * Math.sqrt(node.mentions / max),
      color: (node.community === null ? undefined : colourOf.get(node.community)) ?? colours.other,
    });
  });
  const strongest = Math.max(0.001, ...view.edges.map(({ weight }) => weight));
  for (const { id, source, target, weight } of view.edges) {
    if (!graph.hasNode(source) || !graph.hasNode(target)) continue;
    graph.addEdgeWithKey(id, source, target, { size: 0.6 + 2.4 * (weight / strongest), weight, color: colours.edge });
  }
  return graph;
}
