import { useState } from 'preact/hooks';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { texts } from '../../texts.ts';
import { changePassword, deleteKeys } from './settings-data.ts';

interface PasswordProps {
  readonly user: { readonly id: string; readonly email: string };
  readonly onKeysDeleted: () => void;
}

/** A new password. Afterwards, how many API keys still act as the user, and an offer to delete them. */
export function Password({ user, onKeysDeleted }: PasswordProps) {
  const [keys, setKeys] = useState<number>();
  const [areDeleted, setDeleted] = useState(false);
  const { failure, isBusy, attemptOnce } = useAttempt();
  const change = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    setKeys(undefined);
    setDeleted(false);
    await attemptOnce(async () => {
      setKeys(await changePassword(user.email, String(fields.get('current')), String(fields.get('next'))));
      form.reset();
    });
  };
  const revoke = () =>
    attemptOnce(async () => {
      await deleteKeys(user.id).finally(onKeysDeleted);
      setKeys(0);
      setDeleted(true);
    });
  return (
    <section class="card" aria-labelledby="settings-password">
      <h2 id="settings-password">{texts.settings.password}</h2>
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void change(event.currentTarget);
        }}
      >
        <input type="hidden" name="username" autocomplete="username" value={user.email} />
        <label>
          {texts.settings.currentPassword}
          <input name="current" type="password" required autocomplete="current-password" />
        </label>
        <label>
          {texts.settings.chosenPassword}
          <input name="next" type="password" required autocomplete="new-password" />
        </label>
        <button type="submit" aria-disabled={isBusy}>
          {texts.settings.changePassword}
        </button>
      </form>
      <Refusal message={failure} />
      <div role="status">
        {keys !== undefined && (
          <p class="finding finding-ok">
            {texts.settings.passwordChanged} {areDeleted && texts.settings.keysDeleted}
            {keys > 0 && texts.settings.keysStayValid(keys)}
          </p>
        )}
      </div>
      {keys !== undefined && keys > 0 && (
        <div class="settings-actions">
          <button type="button" class="danger" aria-disabled={isBusy} onClick={() => void revoke()}>
            {texts.settings.deleteKeys(keys)}
          </button>
        </div>
      )}
    </section>
  );
}
