import { navigate, route, setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { readSourceAddress } from './quote.ts';
import { SourcePane } from './source-pane.tsx';
import { tabNames } from './use-tabs.ts';

/** A document at `/d/{id}@{version}?q=start-end`; the URL holds the complete state. */
export function SourceView() {
  const { path, query } = route.value;
  const { documentId, version, quotes } = readSourceAddress(path, query);
  if (documentId === '') return <p class="notice">{texts.source.badAddress}</p>;
  const tab = tabNames.find((name) => name === query.get('tab'));
  return (
    <SourcePane
      documentId={documentId}
      version={version}
      quotes={quotes}
      tab={tab}
      onTab={(name) => setQuery({ tab: name })}
      onVersion={(label) => {
        // Offsets of a quote are only valid in one version, so they are dropped.
        navigate(label === undefined ? `/d/${documentId}` : `/d/${documentId}@${label}`);
      }}
    />
  );
}
