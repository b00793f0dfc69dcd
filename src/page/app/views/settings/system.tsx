import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { type Finding, findingsOf, type SystemStatus } from './findings.ts';
import { checkIndex, loadStatus } from './settings-data.ts';

/** Facts about the service and findings. `onShown` is called when their height is known. */
export function System({ onShown }: { readonly onShown: () => void }) {
  const status = useResource(loadStatus, []);
  const isShown = status.kind !== 'loading';
  useEffect(() => {
    if (isShown) onShown();
  }, [isShown]);
  return (
    <section class="card" aria-labelledby="settings-system">
      <h2 id="settings-system">{texts.settings.system}</h2>
      {status.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {status.kind === 'failed' && <Failure error={status.error} retry={status.reload} />}
      {status.kind === 'loaded' && (
        <>
          <Findings findings={findingsOf(status.value)} />
          <Facts status={status.value} />
          <div class="settings-actions">
            <button type="button" onClick={status.reload}>
              {texts.settings.lookAgain}
            </button>
            <IndexCheck />
          </div>
        </>
      )}
    </section>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) {
    return <p class="finding finding-ok">{texts.settings.allWell}</p>;
  }
  return (
    <ul class="findings">
      {findings.map(({ level, text, href }) => (
        <li key={text} class={`finding finding-${level}`}>
          <strong>{texts.settings.levels[level]}</strong> {text}{' '}
          {href !== undefined && <Link href={href}>{texts.settings.show}</Link>}
        </li>
      ))}
    </ul>
  );
}

function Facts({ status }: { readonly status: SystemStatus }) {
  const { citewell, uptime_seconds: uptime, memory_usage: memory } = status;
  const { ready, failed } = countsOf(citewell.documents);
  const web = citewell.web?.search ?? [];
  const originals = citewell.originals && `${citewell.originals.place}, ${citewell.originals.state}`;
  const rows: readonly (readonly [string, string])[] = [
    [texts.settings.model, citewell.model],
    [texts.settings.embedder, [citewell.embedder, citewell.embedder_reason ?? ''].filter(Boolean).join('. ')],
    [texts.settings.web, web.length === 0 ? texts.settings.noWeb : web.join(', ')],
    [texts.settings.index, `${citewell.index.kind}, ${citewell.index.state}`],
    [texts.settings.holds, texts.settings.corpus(ready, failed, citewell.chunks, citewell.collections)],
    [texts.settings.data, [citewell.data, citewell.database, originals].filter(Boolean).join('; ')],
    [texts.settings.version, `${citewell.version}, ${texts.settings.uptime(uptime)}`],
    [texts.settings.memory, `${Math.round(memory)} %`],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const countsOf = (documents: Readonly<Record<string, number>>) => ({
  ready: (documents['success'] ?? 0) + (documents['enriching'] ?? 0),
  failed: documents['failed'] ?? 0,
});

function IndexCheck() {
  const [message, setMessage] = useState<string>();
  const check = async () => {
    setMessage(texts.settings.checkingIndex);
    setMessage(await checkIndex().catch(messageOf));
  };
  return (
    <>
      <button type="button" onClick={() => void check()}>
        {texts.settings.checkIndex}
      </button>
      {message !== undefined && <span role="status">{message}</span>}
    </>
  );
}
