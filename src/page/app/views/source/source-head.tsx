import { useResource } from '../../api/resource.ts';
import { shownName } from '../../parts/shown-name.ts';
import { sourceAddress } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { loadVersions, type Shown } from './source-data.ts';

interface SourceHeadProps {
  readonly shown: Shown;
  readonly onVersion: (version: string | undefined) => void;
  readonly isBeside: boolean;
}

/** Title, version and actions of the document. */
export function SourceHead({ shown, onVersion, isBeside }: SourceHeadProps) {
  const { document, newest, path } = shown;
  const isOlder = document.version !== newest;
  const title = shownName(document.title === '' ? document.file_name : document.title);
  return (
    <header class="source-head">
      <div class="source-title">
        {isBeside ? (
          <h2>
            <Link href={sourceAddress(document.id, isOlder ? { version: document.version } : {})}>{title}</Link>
          </h2>
        ) : (
          <h1>{title}</h1>
        )}
      </div>
      <div class="source-facts">
        <span class="source-type">{document.document_type}</span>
        <span>{texts.source.size(document.size_in_bytes)}</span>
        <span>{texts.source.characters(document.text_length)}</span>
        <Versions shown={shown} onVersion={onVersion} />
        <a href={`${path}/download`} download={document.file_name}>
          {texts.source.download}
        </a>
      </div>
      {isOlder && (
        <p class="source-warning" role="status">
          {texts.source.older(document.version, newest)}{' '}
          <button type="button" onClick={() => onVersion(undefined)}>
            {texts.source.showNewest}
          </button>
        </p>
      )}
    </header>
  );
}

function Versions({ shown: { document, newest }, onVersion }: Pick<SourceHeadProps, 'shown' | 'onVersion'>) {
  const versions = useResource((signal) => loadVersions(document.id, signal), [document.id, newest]);
  const kept = versions.kind === 'loaded' ? versions.value.filter(({ retired }) => retired === null) : [];
  if (kept.length < 2) return null;
  return (
    <label class="source-version">
      {texts.source.version}
      <select
        value={document.version}
        onChange={({ currentTarget: { value } }) => onVersion(value === newest ? undefined : value)}
      >
        {kept.map(({ version, published_at: at }) => (
          <option key={version} value={version}>
            {version === newest ? texts.source.newest(version) : version}, {new Date(at).toLocaleDateString()}
          </option>
        ))}
      </select>
    </label>
  );
}
