export const graph = {
  title: 'Graph',
  collection: 'Collection',
  find: 'Find an entity',
  form: 'View',
  asDrawing: 'Drawing',
  asTable: 'Table',
  empty: 'The graph of this collection is empty. It fills as documents are read.',
  shown: (count: number, total: number) =>
    count >= total
      ? `All ${total.toLocaleString('en')} entities.`
      : `The ${count.toLocaleString('en')} most mentioned of ${total.toLocaleString('en')} entities.`,
  showMore: 'Show more',
  notInView: (name: string) => `“${name}” is not among the entities shown.`,
  drawing: (nodes: number, edges: number) => `A graph of ${nodes} entities and ${edges} relationships`,
  cannotDraw: 'This browser cannot draw the graph (it has no WebGL). The table shows the same data.',
  communities: 'Communities',
  ungrouped: 'Related entities can be grouped and coloured.',
  group: 'Find communities',
  grouping: 'Finding communities…',
  community: 'Community',
  name: 'Entity',
  category: 'Kind',
  mentions: 'Mentions',
  relationships: 'Relationships',
  facts: (category: string | null, mentions: number) =>
    `${category ?? 'entity'}, mentioned ${mentions.toLocaleString('en')} ${mentions === 1 ? 'time' : 'times'}`,
  alone: 'No relationships with the entities shown.',
  openSentence: 'Open the sentence',
  noSentence: 'This relationship was created by hand; it has no sentence.',
  more: (count: number) => `and ${count.toLocaleString('en')} more`,
};
