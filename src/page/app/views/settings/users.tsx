import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import { changeUser, createUser, deleteUser, loadUsers, USERS_PER_PAGE, type UserRecord } from './settings-data.ts';

/** All users, for superusers. */
export function Users({ ownId }: { readonly ownId: string }) {
  const [offset, setOffset] = useState(0);
  const users = useResource((signal) => loadUsers(offset, signal), [offset]);
  const [leaving, setLeaving] = useState<UserRecord>();
  const { failure, isBusy, attemptOnce } = useAttempt();
  const [made, setMade] = useState<string>();
  const change = (act: () => Promise<unknown>) => {
    setMade(undefined);
    return attemptOnce(async () => {
      await act();
      announce(texts.settings.changed);
      users.reload();
    });
  };
  return (
    <section class="card" aria-labelledby="settings-users">
      <h2 id="settings-users">{texts.settings.users}</h2>
      {users.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {users.kind === 'failed' && <Failure error={users.error} retry={users.reload} />}
      {users.kind === 'loaded' && (
        <>
          <ul class="keys">
            {users.value.items.map((user) => (
              <li key={user.id}>
                <span>
                  <strong>{user.email}</strong>{' '}
                  <span class="notice">
                    {texts.settings.userFacts(user.num_files, user.is_superuser, user.is_active)}
                  </span>
                </span>
                {user.id !== ownId && (
                  <span class="settings-actions">
                    <button
                      type="button"
                      aria-disabled={isBusy}
                      onClick={() => void change(() => changeUser(user.id, { is_superuser: !user.is_superuser }))}
                    >
                      {user.is_superuser ? texts.settings.takeSuperuser : texts.settings.makeSuperuser}
                    </button>
                    <button
                      type="button"
                      aria-disabled={isBusy}
                      onClick={() => void change(() => changeUser(user.id, { is_active: !user.is_active }))}
                    >
                      {user.is_active ? texts.settings.lockOut : texts.settings.letIn}
                    </button>
                    <button type="button" class="danger" onClick={() => setLeaving(user)}>
                      {texts.settings.deleteUser}
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          <Pager offset={offset} limit={USERS_PER_PAGE} total={users.value.total} onOffset={setOffset} />
        </>
      )}
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const fields = new FormData(form);
          void change(async () => {
            const { email } = await createUser(String(fields.get('email')), String(fields.get('password')));
            form.reset();
            setMade(email);
          });
        }}
      >
        <label>
          {texts.settings.newEmail}
          <input name="email" type="email" required autocomplete="off" />
        </label>
        <label>
          {texts.settings.newPassword}
          <input name="password" type="password" required autocomplete="new-password" />
        </label>
        <button type="submit" aria-disabled={isBusy}>
          {texts.settings.createUser}
        </button>
      </form>
      {made !== undefined && (
        <p class="finding finding-ok" role="status">
          {texts.settings.userCreated(made)}
        </p>
      )}
      <Refusal message={failure} />
      {leaving !== undefined && (
        <Dialog title={texts.settings.deleteUserTitle(leaving.email)} onClose={() => setLeaving(undefined)}>
          <p>{texts.settings.deleteUserText(leaving.num_files)}</p>
          <button
            type="button"
            class="danger"
            onClick={() => {
              const { id } = leaving;
              setLeaving(undefined);
              void change(() => deleteUser(id));
            }}
          >
            {texts.settings.deleteUser}
          </button>
        </Dialog>
      )}
    </section>
  );
}
