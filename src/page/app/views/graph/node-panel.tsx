import { useEffect, useRef } from 'preact/hooks';
import { focusView } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type GraphEdge, type GraphNode, type GraphView, predicateLabel, relationshipsOf } from './graph-shape.ts';

interface NodePanelProps {
  readonly view: GraphView;
  readonly node: GraphNode;
  readonly onNode: (id: string | undefined) => void;
  readonly onEdge: (edge: GraphEdge) => void;
}

const MAX_LISTED = 100;

/** An entity and its relationships; each opens its sentence. */
export function NodePanel({ view, node, onNode, onEdge }: NodePanelProps) {
  const relationships = relationshipsOf(view, node.id);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else focusView();
    };
  }, []);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // On a phone, the panel is below the drawing.
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, [node.id]);
  return (
    <aside
      class="card graph-panel"
      aria-label={node.label}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onNode(undefined);
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {node.label}
        </h2>
        <button type="button" class="quiet" aria-label={texts.close} onClick={() => onNode(undefined)}>
          ×
        </button>
      </header>
      <p class="notice">{texts.graph.facts(node.category, node.mentions)}</p>
      {node.description !== '' && <p>{node.description}</p>}
      <h3>{texts.graph.relationships}</h3>
      {relationships.length === 0 && <p class="notice">{texts.graph.alone}</p>}
      <ul>
        {relationships.slice(0, MAX_LISTED).map(({ edge, other }) => (
          <li key={edge.id}>
            <p>
              {edge.source === node.id ? '' : '← '}
              <span class="notice">{predicateLabel(edge.label)}</span>{' '}
              <button type="button" class="graph-name" onClick={() => onNode(other.id)}>
                {other.label}
              </button>
            </p>
            {edge.description !== '' && <p class="graph-sentence">{edge.description}</p>}
            <button type="button" onClick={() => onEdge(edge)}>
              {texts.graph.openSentence}
            </button>
          </li>
        ))}
      </ul>
      {relationships.length > MAX_LISTED && <p class="notice">{texts.graph.more(relationships.length - MAX_LISTED)}</p>}
    </aside>
  );
}
