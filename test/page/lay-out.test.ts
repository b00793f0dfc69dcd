import { setImmediate as turn } from 'node:timers/promises';
import { MultiGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import { expect, it } from 'vitest';
import { layOut } from '../../src/page/app/views/graph/lay-out.ts';

const { signal } = new AbortController();

function largeGraph(nodes: number): MultiGraph {
  const graph = new MultiGraph();
  for (let at = 0; at < nodes; at++) {
    graph.addNode(at, { x: Math.sqrt(at + 1) * Math.cos(at * 2.4), y: Math.sqrt(at + 1) * Math.sin(at * 2.4) });
  }
  for (let at = 0; at < nodes * 4; at++) {
    graph.addEdge(at % nodes, (at * 37 + 11) % nodes, { weight: 1 + (at % 5) });
  }
  return graph;
}

const positions = (graph: MultiGraph) => graph.mapNodes((_, { x, y }) => [x, y]);

it('places the nodes of a large graph as in one go, and lets others run meanwhile', async () => {
  const [graph, inOneGo] = [largeGraph(300), largeGraph(300)];
  let isDone = false;
  const placing = layOut(graph, signal).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns++) await turn();
  await placing;
  const settings = { ...forceAtlas2.inferSettings(graph), scalingRatio: 30, gravity: 0.6, edgeWeightInfluence: 0.5 };
  // The package declares an ES module, and is none.
  const { assign } = forceAtlas2 as unknown as typeof forceAtlas2.default;
  assign(inOneGo, { iterations: 400, settings });
  expect(positions(graph)).toEqual(positions(inOneGo));
  expect(turns).toBeGreaterThan(5);
});

it('ends between two turns when the view is left', async () => {
  const graph = largeGraph(300);
  const before = positions(graph);
  const leaving = new AbortController();
  const placing = layOut(graph, leaving.signal);
  leaving.abort(new Error('The view was left.'));
  await expect(placing).rejects.toThrow('The view was left.');
  expect(positions(graph)).toEqual(before);
});
