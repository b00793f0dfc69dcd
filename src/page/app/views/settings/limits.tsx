import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { loadLimits, type Share } from './settings-data.ts';

/** Remaining quotas and request limits. */
export function Limits({ userId }: { readonly userId: string }) {
  const limits = useResource((signal) => loadLimits(userId, signal), [userId]);
  return (
    <section class="card" aria-labelledby="settings-limits">
      <h2 id="settings-limits">{texts.settings.limits}</h2>
      {limits.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {limits.kind === 'failed' && <Failure error={limits.error} retry={limits.reload} />}
      {limits.kind === 'loaded' && (
        <dl class="facts">
          {Object.entries(limits.value.storage_limits).map(([name, share]) => (
            <LimitLine key={name} name={texts.settings.storage(name)} share={share} />
          ))}
          <LimitLine name={texts.settings.perMinute} share={limits.value.usage.global_per_min} />
          <LimitLine name={texts.settings.perMonth} share={limits.value.usage.monthly_limit} />
        </dl>
      )}
    </section>
  );
}

function LimitLine({ name, share: { used, limit } }: { readonly name: string; readonly share: Share }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{texts.settings.share(used, limit)}</dd>
    </div>
  );
}
