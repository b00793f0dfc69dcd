// The parts that the package's own function is made of; it declares types for that function only.

declare module 'graphology-layout-forceatlas2/defaults.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';

  const defaults: ForceAtlas2Settings;
  export default defaults;
}

declare module 'graphology-layout-forceatlas2/iterate.js' {
  import type { ForceAtlas2Settings } from 'graphology-layout-forceatlas2';
  /** One round, which changes the nodes. */
  export default function iterate(settings: ForceAtlas2Settings, nodes: Float32Array, edges: Float32Array): void;
}

declare module 'graphology-layout-forceatlas2/helpers.js' {
  import type { MultiGraph } from 'graphology';

  interface Helpers {
    graphToByteArrays(
      graph: MultiGraph,
      getEdgeWeight: (edge: string, attributes: { readonly weight: number }) => number,
    ): { readonly nodes: Float32Array; readonly edges: Float32Array };
    assignLayoutChanges(graph: MultiGraph, nodes: Float32Array, outputReducer: null): void;
  }
  const helpers: Helpers;
  export default helpers;
}
