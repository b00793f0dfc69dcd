import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { texts } from '../../texts.ts';
import { createKey, deleteKey, type KeyRecord, loadKeys } from './settings-data.ts';

/** The user's API keys. A new key is shown once and cannot be read again. */
export function Keys({ userId }: { readonly userId: string }) {
  const keys = useResource((signal) => loadKeys(userId, signal), [userId]);
  const [made, setMade] = useState<string>();
  const [leaving, setLeaving] = useState<KeyRecord>();
  const { failure, isBusy, attemptOnce } = useAttempt();
  const create = (form: HTMLFormElement) =>
    attemptOnce(async () => {
      setMade(await createKey(userId, String(new FormData(form).get('name') ?? '').trim()));
      form.reset();
      keys.reload();
    });
  const remove = ({ key_id: id }: KeyRecord) =>
    attemptOnce(async () => {
      await deleteKey(userId, id).finally(() => setLeaving(undefined));
      keys.reload();
    });
  return (
    <section class="card" aria-labelledby="settings-keys">
      <h2 id="settings-keys">{texts.settings.keys}</h2>
      {keys.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {keys.kind === 'failed' && <Failure error={keys.error} retry={keys.reload} />}
      {keys.kind === 'loaded' && keys.value.items.length === 0 && <p class="notice">{texts.settings.noKeys}</p>}
      {keys.kind === 'loaded' && (
        <ul class="keys">
          {keys.value.items.map((key) => (
            <li key={key.key_id}>
              <span>
                <strong>{key.name ?? texts.settings.nameless}</strong> <code>{key.public_key}</code>{' '}
                <span class="notice">{new Date(key.updated_at).toLocaleDateString()}</span>
              </span>
              <button type="button" class="danger" onClick={() => setLeaving(key)}>
                {texts.settings.deleteKey}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void create(event.currentTarget);
        }}
      >
        <label>
          {texts.settings.keyName}
          <input name="name" maxLength={200} placeholder={texts.settings.keyNameExample} />
        </label>
        <button type="submit" aria-disabled={isBusy}>
          {texts.settings.createKey}
        </button>
      </form>
      <Refusal message={failure} />
      {made !== undefined && (
        <Dialog title={texts.settings.newKey} onClose={() => setMade(undefined)}>
          <p>{texts.settings.newKeyText}</p>
          <pre class="snippet">{made}</pre>
          <CopyButton text={made} />
        </Dialog>
      )}
      {leaving !== undefined && (
        <Dialog title={texts.settings.deleteKeyTitle} onClose={() => setLeaving(undefined)}>
          <p>{texts.settings.deleteKeyText(leaving.name ?? leaving.public_key)}</p>
          <button type="button" class="danger" aria-disabled={isBusy} onClick={() => void remove(leaving)}>
            {texts.settings.deleteKey}
          </button>
        </Dialog>
      )}
    </section>
  );
}
