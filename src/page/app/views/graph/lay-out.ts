/// <reference path="./forceatlas2.d.ts" />
import type { MultiGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import defaults from 'graphology-layout-forceatlas2/defaults.js';
import helpers from 'graphology-layout-forceatlas2/helpers.js';
import iterate from 'graphology-layout-forceatlas2/iterate.js';

const ROUNDS = 400;
/** Milliseconds until the page can handle input and draw; one round of a thousand nodes takes less. */
const TURN_MS = 8;

/**
 * Moves the nodes so that related ones are near each other, in turns between which the page stays responsive. Throws the
 * reason of the signal.
 */
export async function layOut(graph: MultiGraph, signal: AbortSignal): Promise<void> {
  const settings = {
    ...defaults,
    ...forceAtlas2.inferSettings(graph),
    scalingRatio: 30,
    gravity: 0.6,
    edgeWeightInfluence: 0.5,
  };
  const { nodes, edges } = helpers.graphToByteArrays(graph, (_, { weight }) => weight);
  let until = performance.now() + TURN_MS;
  for (let round = 0; round < ROUNDS; round++) {
    iterate(settings, nodes, edges);
    if (performance.now() < until) continue;
    await nextTurn();
    signal.throwIfAborted();
    until = performance.now() + TURN_MS;
  }
  helpers.assignLayoutChanges(graph, nodes, null);
  // The first picture takes a turn of its own.
  await nextTurn();
  signal.throwIfAborted();
}

/** A timer would wait for a second each time while the page is in the background. */
function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const next = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener('message', next, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}
