import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../../texts.ts';
import { coloursOf, MAX_COLOURS } from './colours.ts';
import type { Drawing } from './draw-graph.ts';
import { type GraphView, shownCommunities } from './graph-shape.ts';

interface GraphDrawingProps {
  readonly view: GraphView;
  readonly selected: string | undefined;
  readonly onNode: (id: string | undefined) => void;
  readonly onEdge: (id: string) => void;
}

/** The graph as a drawing; its library is loaded on first use. The table is the accessible alternative. */
export function GraphDrawing({ view, selected, onNode, onEdge }: GraphDrawingProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | undefined>(undefined);
  const [state, setState] = useState<'loading' | 'drawn' | 'failed'>('loading');
  const isDark = useIsDark();
  const colours = coloursOf(isDark);
  const communities = shownCommunities(view, MAX_COLOURS);
  const colourOf = new Map(communities.map(({ id }, at) => [id, colours.communities[at] ?? colours.other]));
  const handlers = useRef({ onNode, onEdge });
  handlers.current = { onNode, onEdge };
  const chosen = useRef(selected);
  chosen.current = selected;

  useEffect(() => {
    const leaving = new AbortController();
    const parts = {
      view,
      colours,
      colourOf,
      onNode: (id: string | undefined) => handlers.current.onNode(id),
      onEdge: (id: string) => handlers.current.onEdge(id),
    };
    setState('loading');
    void import('./draw-graph.ts')
      .then(async ({ drawGraph }) => {
        leaving.signal.throwIfAborted();
        if (canvas.current === null) return;
        const drawn = await drawGraph(canvas.current, parts, leaving.signal);
        if (leaving.signal.aborted) return drawn.close();
        drawing.current = drawn;
        drawn.select(chosen.current);
        setState('drawn');
      })
      .catch(() => {
        if (!leaving.signal.aborted) setState('failed');
      });
    return () => {
      leaving.abort();
      drawing.current?.close();
      drawing.current = undefined;
    };
  }, [view, isDark]);
  useEffect(() => drawing.current?.select(selected), [selected]);
  return (
    <>
      {state === 'failed' && (
        <p class="failure" role="alert">
          {texts.graph.cannotDraw}
        </p>
      )}
      {/* Everything that a pointer can do in the drawing is possible in the table with the keyboard. */}
      <div class="graph-frame">
        {state === 'loading' && <p class="notice">{texts.loading}</p>}
        <div
          ref={canvas}
          class="graph-canvas"
          role="img"
          aria-label={texts.graph.drawing(view.nodes.length, view.edges.length)}
        />
      </div>
      {communities.length > 0 && (
        <ul class="graph-legend" aria-label={texts.graph.communities}>
          {communities.map(({ id, label }) => (
            <li key={id}>
              <span class="graph-swatch" style={{ background: colourOf.get(id) }} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function useIsDark(): boolean {
  const [isDark, setDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const query = matchMedia(DARK);
    const listen = () => setDark(query.matches);
    query.addEventListener('change', listen);
    return () => query.removeEventListener('change', listen);
  }, []);
  return isDark;
}

const DARK = '(prefers-color-scheme: dark)';
