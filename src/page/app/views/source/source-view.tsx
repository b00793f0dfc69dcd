import { useEffect, useState } from 'preact/hooks';
import { messageOf, send } from '../../api/request.ts';
import { navigate, route, setQuery } from '../../router.ts';
import { texts } from '../../texts.ts';
import { readSourceAddress } from './quote.ts';
import { SourcePane } from './source-pane.tsx';
import { tabNames } from './use-tabs.ts';

/** A short id as assistants show it: `1f0c9a2b`, or `1f0c9a2b:12` for a chunk. */
const SHORT_ID = /^[0-9a-f]{8}(?::\d{1,7})?$/;

/** A short link that the service could not resolve, because the browser sent no session with it. */
function ShortLink({ path }: { readonly path: string }) {
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const left = new AbortController();
    const { signal } = left;
    const follow = async () => {
      // Triggers the sign-in if there is no session.
      await send('/v3/users/me', { signal });
      const { redirected, url, body } = await send(path, { signal });
      void body?.cancel();
      if (!redirected) return setFailure(texts.source.gone);
      const { pathname, search } = new URL(url);
      navigate(pathname + search, { replace: true });
    };
    follow().catch((error: unknown) => signal.aborted || setFailure(messageOf(error)));
    return () => left.abort();
  }, [path]);
  return failure === undefined ? null : (
    <p class="notice" role="alert">
      {failure}
    </p>
  );
}

/** A document at `/d/{id}@{version}?q=start-end`; the URL holds the complete state. */
export function SourceView() {
  const { path, query } = route.value;
  const { documentId, version, quotes } = readSourceAddress(path, query);
  if (documentId === '') return <p class="notice">{texts.source.badAddress}</p>;
  if (SHORT_ID.test(documentId)) return <ShortLink path={path} />;
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
