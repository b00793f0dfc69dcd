import { useId } from 'preact/hooks';
import { texts } from '../../texts.ts';
import type { GraphNode } from './graph-shape.ts';

interface EntityFinderProps {
  readonly nodes: readonly GraphNode[];
  readonly onName: (name: string) => void;
}

/** Opens an entity by its name, also for those who cannot point at the drawing. */
export function EntityFinder({ nodes, onName }: EntityFinderProps) {
  const names = useId();
  const open = (name: string): void => {
    if (name.trim() !== '') onName(name.trim());
  };
  return (
    <form
      class="graph-finder"
      onSubmit={(event) => {
        event.preventDefault();
        open(String(new FormData(event.currentTarget).get('name')));
      }}
    >
      <label>
        <span>{texts.graph.find}</span>
        <input
          type="search"
          name="name"
          list={names}
          autocomplete="off"
          onInput={(event) => {
            // A suggestion has been chosen; what is typed may be the beginning of a longer name, and waits for Enter.
            if (event.inputType === 'insertReplacementText') open(event.currentTarget.value);
          }}
        />
      </label>
      <datalist id={names}>
        {nodes.map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </form>
  );
}
