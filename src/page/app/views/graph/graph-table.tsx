import { texts } from '../../texts.ts';
import type { GraphView } from './graph-shape.ts';

interface GraphTableProps {
  readonly view: GraphView;
  readonly selected: string | undefined;
  readonly onNode: (id: string) => void;
}

/** The graph as a table. */
export function GraphTable({ view, selected, onNode }: GraphTableProps) {
  const communities = new Map(view.communities.map(({ id, label }) => [id, label]));
  const counts = new Map<string, number>();
  for (const { source, target } of view.edges) {
    for (const end of [source, target]) counts.set(end, (counts.get(end) ?? 0) + 1);
  }
  return (
    <table class="graph-table">
      <caption class="visually-hidden">{texts.graph.drawing(view.nodes.length, view.edges.length)}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.graph.name}</th>
          <th scope="col" class="graph-medium">
            {texts.graph.category}
          </th>
          <th scope="col" class="graph-number">
            {texts.graph.mentions}
          </th>
          <th scope="col" class="graph-number">
            {texts.graph.relationships}
          </th>
          <th scope="col" class="graph-wide">
            {texts.graph.community}
          </th>
        </tr>
      </thead>
      <tbody>
        {view.nodes.map(({ id, label, category, mentions, community }) => (
          <tr key={id}>
            <th scope="row">
              <button type="button" class="graph-name" aria-pressed={id === selected} onClick={() => onNode(id)}>
                {label}
              </button>
            </th>
            <td class="graph-medium">{category}</td>
            <td class="graph-number">{mentions.toLocaleString('en')}</td>
            <td class="graph-number">{(counts.get(id) ?? 0).toLocaleString('en')}</td>
            <td class="graph-wide">{community === null ? '' : communities.get(community)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
