import { loadCollections } from '../../api/load-collections.ts';
import './graph.css';
import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { navigate, route, setQuery } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { EntityFinder } from './entity-finder.tsx';
import { findCommunities, INITIAL_NODES, loadGraph, MAX_NODES, sentenceAddress } from './graph-data.ts';
import { GraphDrawing } from './graph-drawing.tsx';
import type { GraphView as GraphData, GraphEdge } from './graph-shape.ts';
import { GraphTable } from './graph-table.tsx';
import { NodePanel } from './node-panel.tsx';

/** The Graph view: entities and relationships of a collection. */
export function GraphView() {
  const { query } = route.value;
  const collections = useResource((signal) => loadCollections(signal), []);
  const all = collections.kind === 'loaded' ? collections.value : [];
  // The largest collection, because another user's collection of the same name may be empty.
  const largest = all.toSorted((one, other) => other.document_count - one.document_count)[0];
  const collection = query.get('collection') ?? largest?.id;
  const name = query.get('name') ?? undefined;
  const [nodes, setNodes] = useState(INITIAL_NODES);
  const graph = useResource(
    async (signal) =>
      collection === undefined ? undefined : { collection, view: await loadGraph(collection, nodes, signal) },
    [collection, nodes],
  );
  // While more nodes are loaded, those of the same collection stay.
  const shown = graph.kind === 'loaded' && graph.value?.collection === collection ? graph.value : undefined;
  const isLoading = graph.kind === 'loading' || graph.isPrevious || collections.kind === 'loading';
  const isTable = query.get('as') === 'table';
  return (
    <div class="graph">
      <h1>{texts.graph.title}</h1>
      <div class="graph-controls">
        <label>
          <span>{texts.graph.collection}</span>
          <select
            value={collection ?? ''}
            onChange={({ currentTarget: { value } }) => {
              setNodes(INITIAL_NODES);
              setQuery({ collection: value, name: null });
            }}
          >
            {all.map((each) => (
              <option key={each.id} value={each.id}>
                {texts.library.collectionOption(each.name, each.document_count)}
              </option>
            ))}
          </select>
        </label>
        {shown?.view.total_nodes !== 0 && (
          <fieldset class="graph-forms" aria-label={texts.graph.form}>
            <button type="button" aria-pressed={!isTable} onClick={() => setQuery({ as: null })}>
              {texts.graph.asDrawing}
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => setQuery({ as: 'table' })}>
              {texts.graph.asTable}
            </button>
          </fieldset>
        )}
      </div>
      {collections.kind === 'failed' && <Failure error={collections.error} retry={collections.reload} />}
      {graph.kind === 'failed' && <Failure error={graph.error} retry={graph.reload} />}
      {isLoading && shown === undefined && <p class="notice">{texts.loading}</p>}
      {shown !== undefined && (
        <Shown
          {...{ ...shown, name, isTable }}
          reload={graph.reload}
          onMore={nodes < MAX_NODES ? () => setNodes(Math.min(MAX_NODES, nodes * 3)) : undefined}
        />
      )}
    </div>
  );
}

const EmptyGraph = () => (
  <p class="notice">
    {texts.graph.empty} <Link href="/library">{texts.ask.addDocuments}</Link>
  </p>
);

interface ShownProps {
  readonly collection: string;
  readonly name: string | undefined;
  readonly isTable: boolean;
  readonly view: GraphData;
  readonly reload: () => void;
  readonly onMore: (() => void) | undefined;
}

function Shown({ collection, name, isTable, view, reload, onMore }: ShownProps) {
  const { failure, setFailure, attempt } = useAttempt();
  if (view.total_nodes === 0) return <EmptyGraph />;
  const wanted = name?.toLowerCase();
  const selected = wanted === undefined ? undefined : view.nodes.find(({ label }) => label.toLowerCase() === wanted);
  const onNode = (id: string | undefined) =>
    setQuery({ name: view.nodes.find((node) => node.id === id)?.label ?? null }, {});
  const onEdge = (edge: GraphEdge | undefined) => {
    if (edge === undefined) return;
    void attempt(async () => {
      const address = await sentenceAddress(collection, edge);
      if (address === undefined) setFailure(texts.graph.noSentence);
      else navigate(address);
    });
  };
  const canGrow = view.nodes.length < view.total_nodes && onMore !== undefined;
  return (
    <>
      <div class="graph-head">
        <EntityFinder nodes={view.nodes} onName={(wantedName) => setQuery({ name: wantedName }, {})} />
        <p class="notice graph-count">
          {texts.graph.shown(view.nodes.length, view.total_nodes)}{' '}
          {canGrow && (
            <button type="button" onClick={onMore}>
              {texts.graph.showMore}
            </button>
          )}
        </p>
      </div>
      {view.communities.length === 0 && <Ungrouped collection={collection} reload={reload} />}
      {name !== undefined && selected === undefined && <p class="notice">{texts.graph.notInView(name)}</p>}
      <Refusal message={failure} />
      <div class={selected === undefined ? 'graph-body' : 'graph-body graph-body-open'}>
        <div class={isTable ? 'graph-main graph-scroll' : 'graph-main'}>
          {isTable ? (
            <GraphTable view={view} selected={selected?.id} onNode={onNode} />
          ) : (
            <GraphDrawing
              view={view}
              selected={selected?.id}
              onNode={onNode}
              onEdge={(id) => onEdge(view.edges.find((edge) => edge.id === id))}
            />
          )}
        </div>
        {selected !== undefined && <NodePanel view={view} node={selected} onNode={onNode} onEdge={onEdge} />}
      </div>
    </>
  );
}

/** Offers to find communities. They are only computed on request, because that takes a while in a large graph. */
function Ungrouped({ collection, reload }: { readonly collection: string; readonly reload: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const { failure, attempt } = useAttempt();
  const find = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await attempt(async () => {
      await findCommunities(collection);
      reload();
    });
    setBusy(false);
  };
  return (
    <div class="graph-ungrouped">
      <p class="notice">{texts.graph.ungrouped}</p>
      <button type="button" aria-disabled={isBusy} onClick={() => void find()}>
        {isBusy ? texts.graph.grouping : texts.graph.group}
      </button>
      <Refusal message={failure} />
    </div>
  );
}
