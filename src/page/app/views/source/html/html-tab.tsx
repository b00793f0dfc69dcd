import { useEffect, useMemo } from 'preact/hooks';
import { send } from '../../../api/request.ts';
import { useResource } from '../../../api/resource.ts';
import { Failure } from '../../../parts/failure.tsx';
import { texts } from '../../../texts.ts';
import type { OriginalProps } from '../original-tab.tsx';
import { decodeHtml } from './decode-html.ts';
import { FRAME_STYLE } from './frame-style.ts';
import { markHtml } from './mark-html.ts';

/** A foreign page, sanitised and in a sandboxed frame without scripts and network. */
export function HtmlTab({ address, document, facts, onMarked }: OriginalProps) {
  const file = useResource(
    async (signal) => decodeHtml(await (await send(address, { signal })).arrayBuffer(), document.media_type),
    [address],
  );
  const source = file.kind === 'loaded' ? file.value : undefined;
  const safe = useMemo(() => (source === undefined ? undefined : markHtml(source, facts)), [source, facts]);
  useEffect(() => {
    if (safe?.located !== undefined) onMarked(safe.located.kind);
  }, [safe]);
  if (file.kind === 'failed') return <Failure error={file.error} retry={file.reload} />;
  if (safe === undefined) return <p class="notice">{texts.loading}</p>;
  // A new frame for new content: Chromium can drop a `srcdoc` that changes while the frame still loads the one before.
  return (
    <iframe
      key={safe.html}
      class="source-frame"
      title={document.title}
      sandbox=""
      srcdoc={`<!doctype html><style>${FRAME_STYLE}</style>${safe.html}`}
    />
  );
}
