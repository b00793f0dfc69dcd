import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { unwrapped } from '../../parts/unwrapped.ts';
import { texts } from '../../texts.ts';
import { changedWords, type Piece, pairDifferences } from './pair-differences.ts';
import { type DifferenceRecord, loadDifference, loadVersions, type Shown, type VersionRecord } from './source-data.ts';

/** Side-by-side comparison of two versions, chunk by chunk. */
export function VersionsTab({ shown: { document, newest } }: { readonly shown: Shown }) {
  const versions = useResource((signal) => loadVersions(document.id, signal), [document.id, newest]);
  if (versions.kind === 'failed') return <Failure error={versions.error} retry={versions.reload} />;
  if (versions.kind === 'loading') return <p class="notice">{texts.loading}</p>;
  const kept = versions.value.filter(({ retired }) => retired === null);
  if (kept.length < 2) return <p class="notice">{texts.source.oneVersion}</p>;
  return <Compare documentId={document.id} kept={kept} shownVersion={document.version} />;
}

interface CompareProps {
  readonly documentId: string;
  /** Newest first. */
  readonly kept: readonly VersionRecord[];
  readonly shownVersion: string;
}

function Compare({ documentId, kept, shownVersion }: CompareProps) {
  const index = kept.findIndex(({ version }) => version === shownVersion);
  // Compares the shown version with the previous one; the first version with its successor.
  const later = index >= 0 && index < kept.length - 1 ? index : kept.length - 2;
  const [from, setFrom] = useState(kept[later + 1]?.version ?? '');
  const [to, setTo] = useState(kept[later]?.version ?? '');
  const difference = useResource((signal) => loadDifference(documentId, from, to, signal), [documentId, from, to]);
  return (
    <div>
      <div class="source-compare">
        <Choice label={texts.source.before} value={from} kept={kept} onChoose={setFrom} />
        <Choice label={texts.source.after} value={to} kept={kept} onChoose={setTo} />
      </div>
      {difference.kind === 'failed' && <Failure error={difference.error} retry={difference.reload} />}
      {difference.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {difference.kind === 'loaded' && <Differences record={difference.value} />}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly kept: readonly VersionRecord[];
  readonly onChoose: (version: string) => void;
}

function Choice({ label, value, kept, onChoose }: ChoiceProps) {
  return (
    <label class="source-version">
      {label}
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {kept.map(({ version, published_at: at }) => (
          <option key={version} value={version}>
            {version}, {new Date(at).toLocaleString()}
          </option>
        ))}
      </select>
    </label>
  );
}

function Differences({ record: { differences, unchanged } }: { readonly record: DifferenceRecord }) {
  const { pairs, moved } = pairDifferences(differences);
  return (
    <>
      <p class="notice">{texts.source.differences(pairs.length, unchanged, moved)}</p>
      <ul class="source-differences">
        {pairs.map(({ before, after }) => {
          const words = before && after && changedWords(unwrapped(before.text), unwrapped(after.text));
          return (
            <li key={`${before?.start} ${after?.start}`}>
              {before !== undefined && (
                <Side kind="removed" record={before} pieces={words?.before} isChange={after !== undefined} />
              )}
              {after !== undefined && (
                <Side kind="added" record={after} pieces={words?.after} isChange={before !== undefined} />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

interface SideProps {
  readonly kind: 'removed' | 'added';
  readonly record: DifferenceRecord['differences'][number];
  readonly pieces: readonly Piece[] | undefined;
  /** Whether the passage is shown beside its counterpart. */
  readonly isChange: boolean;
}

function Side({ kind, record: { text, heading_path: path }, pieces, isChange }: SideProps) {
  const Changed = kind === 'added' ? 'ins' : 'del';
  const title = isChange ? { removed: texts.source.before, added: texts.source.after } : texts.source;
  return (
    <div class={`source-difference ${kind}`}>
      <p class="source-chunk-place">
        <strong>{title[kind]}</strong>
        <span>{path.join(' › ')}</span>
      </p>
      <p class="source-chunk-text">
        {pieces?.map((piece, at) => (piece.isChanged ? <Changed key={at}>{piece.text}</Changed> : piece.text)) ??
          unwrapped(text)}
      </p>
    </div>
  );
}
