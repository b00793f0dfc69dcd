import './source.css';
import './source-head.css';
import './source-text.css';
import './source-panels.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { RequestFailure } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { ChunksTab } from './chunks-tab.tsx';
import { DetailsTab } from './details-tab.tsx';
import { OriginalTab, prepareOriginal } from './original-tab.tsx';
import type { Quote } from './quote.ts';
import { locationText } from './quote-facts.ts';
import { QuoteSteps } from './quote-steps.tsx';
import { loadShown, type Shown } from './source-data.ts';
import { SourceHead } from './source-head.tsx';
import { Tabs } from './tabs.tsx';
import { TextTab } from './text-tab.tsx';
import { useQuoteFacts } from './use-quote-facts.ts';
import { type TabName, useTabs } from './use-tabs.ts';
import { VersionsTab } from './versions-tab.tsx';

export interface SourcePaneProps {
  readonly documentId: string;
  readonly version?: string | undefined;
  readonly quotes: readonly Quote[];
  /** Whether the document is shown beside something else; the pane then takes the focus and restores it on closing. */
  readonly isBeside?: boolean | undefined;
  /** What else is known of the quotes, for when the document is missing. */
  readonly known?: ComponentChildren;
  readonly tab?: TabName | undefined;
  readonly onTab?: ((tab: TabName) => void) | undefined;
  /** Called when another version is chosen; without it the pane switches itself. Undefined means the newest. */
  readonly onVersion?: ((version: string | undefined) => void) | undefined;
}

/** A document with marked quotes: as text with exact offsets, and as the original if it can be shown. */
export function SourcePane(props: SourcePaneProps) {
  const { documentId, version, quotes, isBeside = false, onVersion } = props;
  const key = `${documentId}@${version ?? ''}`;
  const [choice, setChoice] = useState<{ readonly of: string; readonly version: string | undefined }>();
  const isChosen = choice?.of === key;
  const wanted = isChosen ? choice.version : version;
  const shown = useResource((signal) => loadShown(documentId, wanted, signal), [documentId, wanted]);
  const choose = onVersion ?? ((label: string | undefined) => setChoice({ of: key, version: label }));
  const pane = useRef<HTMLElement>(null);
  usePaneFocus(pane, isBeside);
  return (
    <section
      ref={pane}
      class={isBeside ? 'source source-beside' : 'source'}
      aria-label={texts.source.title}
      tabIndex={isBeside ? -1 : undefined}
    >
      <Contents
        {...props}
        shown={shown}
        retry={shown.reload}
        quotes={isChosen ? [] : quotes}
        onVersion={choose}
        isBeside={isBeside}
      />
    </section>
  );
}

interface ContentsProps extends SourcePaneProps {
  readonly shown: Resource<Shown>;
  readonly retry: () => void;
  readonly onVersion: (version: string | undefined) => void;
  readonly isBeside: boolean;
}

function Contents({ shown, retry, ...props }: ContentsProps) {
  if (shown.kind === 'loaded') return <Loaded {...props} shown={shown.value} />;
  if (shown.kind === 'loading') return <p class="notice">{texts.loading}</p>;
  return (
    <>
      {isMissing(shown.error) ? (
        <div class="failure" role="alert">
          <h1>{texts.missing.title}</h1>
          <p>{texts.source.gone}</p>
          <p class="notice">{(shown.error as Error).message}</p>
        </div>
      ) : (
        <Failure error={shown.error} retry={retry} />
      )}
      <KeptWords quotes={props.quotes} />
      {isMissing(shown.error) && props.known}
    </>
  );
}

/** The quotes as the answer keeps them, for when their document cannot be loaded. */
function KeptWords({ quotes }: { readonly quotes: readonly Quote[] }) {
  const kept = quotes.flatMap(({ text }) => text ?? []);
  if (kept.length === 0) return null;
  return (
    <div class="source-kept">
      <p>{texts.source.kept}</p>
      {kept.map((words, place) => (
        <blockquote key={place}>{words}</blockquote>
      ))}
    </div>
  );
}

const isMissing = (error: unknown): boolean =>
  error instanceof RequestFailure && [403, 404, 422].includes(error.status);

interface LoadedProps extends Omit<ContentsProps, 'shown' | 'retry'> {
  readonly shown: Shown;
}

function Loaded({ shown, quotes, tab, onTab, onVersion, isBeside }: LoadedProps) {
  const { document, path } = shown;
  const [active, setActive] = useState(0);
  const panel = useId();
  const key = quotes.map(({ start, end }) => `${start}-${end}`).join();
  useEffect(() => setActive(0), [path, key]);
  useEffect(() => {
    // The error is shown when the original is opened.
    prepareOriginal(document).catch(() => undefined);
  }, [path]);
  const at = Math.min(active, Math.max(0, quotes.length - 1));
  const found = useQuoteFacts(shown, quotes[at]);
  const facts = typeof found === 'object' ? found : undefined;
  const location = locationText(facts, document.document_type);
  const tabs = useTabs({ shown, quoteKey: `${path} ${key} ${at}`, hasQuote: quotes.length > 0, found, tab, onTab });
  return (
    <>
      <SourceHead shown={shown} onVersion={onVersion} isBeside={isBeside} />
      <div class="source-bar">
        <Tabs
          label={texts.source.tabs}
          tabs={tabs.names.map((each) => ({ name: each, title: texts.source.tab[each] }))}
          shown={tabs.name}
          onShow={tabs.show}
          panel={panel}
        />
        {quotes.length > 0 && <QuoteSteps active={at} total={quotes.length} place={location} onStep={setActive} />}
      </div>
      <div id={panel} role="tabpanel" aria-labelledby={`${panel}-${tabs.name}`} class="source-panel">
        {tabs.notice !== undefined && (
          <p class="source-warning" role="status">
            {tabs.notice}
          </p>
        )}
        {(tabs.name === 'text' || tabs.name === 'original') && <Unread document={document} />}
        {tabs.name === 'original' && (
          <OriginalTab address={`${path}/download`} document={document} facts={facts} onMarked={tabs.onMarked} />
        )}
        {tabs.name === 'text' && document.text_length > 0 && (
          <TextTab
            path={path}
            length={document.text_length}
            documentType={document.document_type}
            quotes={quotes}
            active={at}
            locationText={location}
          />
        )}
        {tabs.name === 'passages' && <ChunksTab shown={shown} />}
        {tabs.name === 'versions' && <VersionsTab shown={shown} />}
        {tabs.name === 'details' && <DetailsTab shown={shown} />}
      </div>
    </>
  );
}

/** Explains why there is no text. */
function Unread({ document }: { readonly document: Shown['document'] }) {
  const { failure, ingestion_status: status, text_length: length } = document;
  if (failure !== null) {
    return (
      <p class="failure" role="status">
        {texts.source.failed(failure)}
      </p>
    );
  }
  if (length > 0) return null;
  return <p class="notice">{status === 'success' ? texts.source.empty : texts.source.noText(status)}</p>;
}

/** Takes the focus on mount and restores it on unmount. */
function usePaneFocus(pane: { readonly current: HTMLElement | null }, isBeside: boolean): void {
  useEffect(() => {
    if (!isBeside) return;
    const before = document.activeElement;
    pane.current?.focus({ preventScroll: true });
    return () => {
      // Whoever closed the pane may have moved the focus already.
      const { activeElement: now } = document;
      const isLost = now === null || now === document.body || pane.current?.contains(now) === true;
      if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [isBeside]);
}
