import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { ChangeSource } from './change-source.tsx';
import { countFailures, type FollowedSource, removeSource, type SourceFailure, syncSource } from './sources-data.ts';

const POLL_WHILE_BUSY_MS = 1_500;
const POLL_MS = 5_000;

interface SourceListProps {
  readonly sources: readonly FollowedSource[];
  readonly reload: () => void;
}

/** Watched folders, sites and other sources, with the result of the last synchronisation and the time of the next. */
export function SourceList({ sources, reload }: SourceListProps) {
  const { failure, attempt } = useAttempt();
  const [leaving, setLeaving] = useState<FollowedSource>();
  const [changing, setChanging] = useState<FollowedSource>();
  const isBusy = sources.some(({ state }) => state === 'syncing');
  useEffect(() => {
    if (sources.length === 0) return;
    const timer = setTimeout(reload, isBusy ? POLL_WHILE_BUSY_MS : POLL_MS);
    return () => clearTimeout(timer);
  }, [sources]);
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work);
    setLeaving(undefined);
    reload();
  };
  if (sources.length === 0) return null;
  return (
    <section class="card sources" aria-labelledby="library-sources">
      <h2 id="library-sources">{texts.library.sources}</h2>
      <ul>
        {sources.map((source) => (
          <li key={source.id} class="followed-source">
            <div class="source-line">
              <strong class="source-location">
                {source.location}
                {!['folder', 'site'].includes(source.kind) && <span class="documents-type">{source.kind}</span>}
              </strong>
              <span class={`source-${stateOf(source)}`}>{texts.library.sourceState(stateOf(source), source.kind)}</span>
              <span class="source-actions">
                <button
                  type="button"
                  disabled={source.state === 'syncing'}
                  onClick={() => void act(() => syncSource(source.id))}
                >
                  {['stopped', 'failed'].includes(stateOf(source)) ? texts.retry : texts.library.sync}
                </button>
                <button type="button" onClick={() => setChanging(source)}>
                  {texts.sources.change}
                </button>
                <button type="button" onClick={() => setLeaving(source)}>
                  {texts.library.remove}
                </button>
              </span>
            </div>
            <SourceFacts source={source} />
          </li>
        ))}
      </ul>
      <Refusal message={failure} />
      {changing !== undefined && (
        <ChangeSource source={changing} onChanged={reload} onClose={() => setChanging(undefined)} />
      )}
      {leaving !== undefined && (
        <Dialog title={texts.library.removeSource(leaving.location)} onClose={() => setLeaving(undefined)}>
          <p>{texts.library.removeSourceText}</p>
          <button type="button" class="primary" onClick={() => void act(() => removeSource(leaving.id))}>
            {texts.library.remove}
          </button>
        </Dialog>
      )}
    </section>
  );
}

/** The state to show: a synchronisation in which every page failed counts as failed. */
const stateOf = ({ state, last_sync: sync }: FollowedSource): FollowedSource['state'] | 'failed' =>
  state === 'idle' && sync !== null && sync.done > 0 && sync.counts['failed'] === sync.done ? 'failed' : state;

/** Maximum number of failures that are shown expanded. */
const FEW_FAILURES = 3;

function SourceFacts({ source }: { readonly source: FollowedSource }) {
  const { state, problem, total, listed, last_sync: sync, max_pages: most, failed_items: failed } = source;
  const facts: string[] = [];
  if (sync !== null) {
    if (state === 'syncing') facts.push(texts.library.sourceProgress(sync.done, total, listed));
    const outcomes = texts.library.outcomes(sync.counts);
    if (outcomes !== '') facts.push(outcomes);
    else if (sync.ended_at !== null && problem === null) facts.push(texts.library.nothingFound);
    if (sync.ended_at !== null) facts.push(lastSync(source, new Date(sync.ended_at).toLocaleString()));
    else if (state !== 'syncing') facts.push(texts.library.interrupted);
    if (sync.is_limit_reached && most !== null && state !== 'syncing') facts.push(texts.library.limitReached(most));
  }
  if (state !== 'syncing') facts.push(...scheduleOf(source));
  return (
    <>
      {problem !== null && <p class="problem">{problem}</p>}
      {state === 'syncing' && total !== null && total > 0 && (
        <progress
          value={sync?.done ?? 0}
          max={total}
          aria-label={texts.library.sourceProgress(sync?.done ?? 0, total, listed)}
        />
      )}
      {facts.length > 0 && <p class="notice">{facts.join(' · ')}</p>}
      {sync !== null && sync.failures.length > 0 && <Failures failures={sync.failures} counts={sync.counts} />}
      {failed !== null && failed.count > (sync?.counts['failed'] ?? 0) && <FailedItems failed={failed} />}
    </>
  );
}

/** Text about the last synchronisation. It differs for folders, which are watched continuously. */
const lastSync = ({ kind }: FollowedSource, when: string): string =>
  kind === 'folder' ? texts.library.syncedAt(when) : texts.sources.lastSync(when);

/** When a remote source is synchronised next; empty for folders and sites. */
function scheduleOf({ settings, next_sync_at: next, every_minutes: every }: FollowedSource): readonly string[] {
  if (settings === null) return [];
  if (every === null) return [texts.sources.notScheduled];
  if (next === null) return [];
  const time = new Date(next);
  return [time.getTime() <= Date.now() ? texts.sources.due : texts.sources.nextSync(time.toLocaleString())];
}

/** All failed items, including those that the last synchronisation did not retry. */
function FailedItems({ failed: { count, items } }: { readonly failed: NonNullable<FollowedSource['failed_items']> }) {
  return (
    <details open>
      <summary>{texts.library.failedItems(count)}</summary>
      <ul>
        {items.map(({ name, reason, tries }) => (
          <li key={name} class="source-failure">
            <span class="source-location">{name}</span>
            <span class="problem">{`${reason} (${texts.library.tries(tries)})`}</span>
          </li>
        ))}
      </ul>
      {count > items.length && <p class="notice">{texts.library.sourceFailuresShown(items.length)}</p>}
    </details>
  );
}

function Failures({
  failures,
  counts,
}: {
  readonly failures: readonly SourceFailure[];
  readonly counts: Readonly<Record<string, number>>;
}) {
  const parts = countFailures(failures.length, counts);
  const count = parts.failed + parts.gone + parts.skipped;
  return (
    <details open={failures.length <= FEW_FAILURES || undefined}>
      <summary>{texts.library.sourceFailures(parts)}</summary>
      <ul>
        {failures.map(({ name, reason, document_id: id }) => (
          <li key={name} class="source-failure">
            {id === null ? <span class="source-location">{name}</span> : <Link href={sourceAddress(id)}>{name}</Link>}
            <span class="problem">{reason}</span>
          </li>
        ))}
      </ul>
      {count > failures.length && <p class="notice">{texts.library.sourceFailuresShown(failures.length)}</p>}
    </details>
  );
}
