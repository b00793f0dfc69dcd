import { useState } from 'preact/hooks';
import { messageOf } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { texts } from '../../texts.ts';
import { createKey, deleteKey, type KeyRecord, loadKeys } from './settings-data.ts';

/** The user's API keys. A new key is shown once and cannot be read again. */
export function Keys({ userId }: { readonly userId: string }) {
  const keys = useResource((signal) => loadKeys(userId, signal), [userId]);
  const [made, setMade] = useState<string>();
  const [leaving, setLeaving] = useState<KeyRecord>();
  const [failure, setFailure] = useState<string>();
  const create = async (form: HTMLFormElement) => {
    setFailure(undefined);
    try {
      setMade(await createKey(userId, String(new FormData(form).get('name') ?? '').trim()));
      form.reset();
      keys.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const remove = async ({ key_id: id }: KeyRecord) => {
    setFailure(undefined);
    try {
      await deleteKey(userId, id);
      setLeaving(undefined);
      keys.reload();
    } catch (error) {
      setLeaving(undefined);
      setFailure(messageOf(error));
    }
  };
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
        <button type="submit">{texts.settings.createKey}</button>
      </form>
      {failure !== undefined && (
        <p class="failure" role="alert">
          {failure}
        </p>
      )}
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
          <button type="button" class="danger" onClick={() => void remove(leaving)}>
            {texts.settings.deleteKey}
          </button>
        </Dialog>
      )}
    </section>
  );
}
