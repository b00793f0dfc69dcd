import { describe, expect, it } from 'vitest';
import {
  type GraphView,
  relationshipsOf,
  sentenceLocation,
  shownCommunities,
} from '../../src/page/app/views/graph/graph-shape.ts';
import { labelLeft, placeLabels } from '../../src/page/app/views/graph/place-labels.ts';

const node = (id: string, community: string | null = null) => ({
  id,
  label: id,
  category: null,
  description: '',
  mentions: 1,
  weight: 1,
  community,
});
const edge = (source: string, target: string, weight: number) => ({
  id: `${source}${target}`,
  source,
  target,
  label: 'knows',
  description: '',
  weight,
});
const community = (id: string) => ({ id, label: id, level: 0, size: 9 });
const view: GraphView = {
  nodes: [node('a', 'one'), node('b', 'two'), node('c', 'two')],
  edges: [edge('a', 'b', 1), edge('c', 'a', 3), edge('b', 'c', 2), edge('a', 'unseen', 9)],
  communities: [community('one'), community('two'), community('elsewhere')],
  total_nodes: 3,
  total_edges: 4,
};

describe('the graph', () => {
  it('lists the relationships of a node both ways, the strongest first', () => {
    expect(relationshipsOf(view, 'a').map(({ other }) => other.id)).toEqual(['c', 'b']);
  });

  it('shows the communities with most nodes in view', () => {
    expect(shownCommunities(view, 8).map(({ id }) => id)).toEqual(['two', 'one']);
    expect(shownCommunities(view, 1).map(({ id }) => id)).toEqual(['two']);
  });
});

describe('the sentence of a relationship', () => {
  const chunk = { document_id: 'd', text: 'First. Ann knows Ben. Last.', start: 100, end: 127 };

  it('is located in its chunk', () => {
    const other = { document_id: 'o', text: 'Nothing of it.', start: 0, end: 14 };
    expect(sentenceLocation([other, chunk], 'Ann knows Ben.')).toEqual({ documentId: 'd', start: 107, end: 121 });
  });

  it('is the whole chunk when it is not found verbatim, and none without a chunk', () => {
    expect(sentenceLocation([chunk], 'Ann met Ben.')).toEqual({ documentId: 'd', start: 100, end: 127 });
    expect(sentenceLocation([], 'Ann knows Ben.')).toBeUndefined();
  });
});

describe('labelLeft', () => {
  it('puts a label right of its node, or left of it where it would be cut off', () => {
    expect(labelLeft({ x: 100, size: 5, width: 40 }, 300)).toBe(108);
    expect(labelLeft({ x: 280, size: 5, width: 40 }, 300)).toBe(232);
  });

  it('cuts a label at its end where neither side has room', () => {
    expect(labelLeft({ x: 20, size: 5, width: 400 }, 300)).toBe(28);
  });
});

describe('placeLabels', () => {
  const canvas = { height: 16, canvasWidth: 300 };
  const node = { x: 100, y: 50, size: 5, width: 40 };

  it('moves a label that would cover another to the other side of its node, or below it', () => {
    const near = { ...node, y: 54 };
    expect(placeLabels([node, near, near, near], canvas)).toEqual([
      { left: 108, middle: 50 },
      { left: 52, middle: 54 },
      { left: 80, middle: 70 },
      undefined,
    ]);
  });

  it('omits a label that has no room, and places the later ones', () => {
    const crowd = Array.from({ length: 6 }, () => node);
    const places = placeLabels([...crowd, { ...node, y: 200 }], canvas);
    expect(places.slice(4)).toEqual([undefined, undefined, { left: 108, middle: 200 }]);
  });

  it('leaves labels that do not touch where they are', () => {
    expect(placeLabels([node, { ...node, y: 66 }], canvas)).toEqual([
      { left: 108, middle: 50 },
      { left: 108, middle: 66 },
    ]);
  });
});
