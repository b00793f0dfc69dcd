import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { call, RequestFailure, send, whenSignedOut } from '../api/request.ts';
import { Refusal } from '../parts/refusal.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { texts } from '../texts.ts';

interface User {
  readonly id: string;
  readonly email: string;
  readonly is_superuser: boolean;
}

type Session =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed_out' }
  | { readonly kind: 'signed_in'; readonly user: User };

/** The signed-in user. Without authentication this is the default admin. */
export const session = signal<Session>({ kind: 'unknown' });

/** Id of the user whose data may be in the page's memory. */
let lastUser: string | undefined;

whenSignedOut(() => {
  session.value = { kind: 'signed_out' };
});

/** Waits while the user is known to be signed out. Also resolves, without a sign-in, when the signal aborts. */
export function whileSignedOut(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      stop?.();
      resolve();
    };
    let stop: (() => void) | undefined;
    stop = session.subscribe(({ kind }) => {
      // `subscribe` calls this immediately, before `stop` is assigned, so `end` is deferred.
      if (kind !== 'signed_out') queueMicrotask(end);
    });
    signal.addEventListener('abort', end);
  });
}

/** Loads the user of the session cookie. */
export async function loadSession(): Promise<void> {
  try {
    const user = await call<User>('/v3/users/me');
    if (lastUser !== undefined && lastUser !== user.id) {
      // Another user signed in after the session expired.
      sessionStorage.clear();
      location.assign('/');
      return;
    }
    lastUser = user.id;
    session.value = { kind: 'signed_in', user };
  } catch (error) {
    if (!(error instanceof RequestFailure && error.status === 401)) session.value = { kind: 'unknown' };
  }
}

/** Signs out and reloads the page, so that none of this user's data is left in memory. Throws `RequestFailure`. */
export async function signOut(): Promise<void> {
  await send('/session', { method: 'DELETE' });
  sessionStorage.clear();
  location.assign('/');
}

/** The sign-in form. The session cookie is HTTP-only. */
export function SignIn() {
  const { failure, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const submit = async (form: HTMLFormElement) => {
    setBusy(true);
    await attempt(async () => {
      const fields = new FormData(form);
      await send('/session', {
        method: 'POST',
        body: { email: fields.get('email'), password: fields.get('password') },
      });
      await loadSession();
    });
    setBusy(false);
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h1>{texts.signIn.title}</h1>
      <label>
        {texts.signIn.email}
        <input name="email" type="email" autocomplete="username" required />
      </label>
      <label>
        {texts.signIn.password}
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <Refusal message={failure} />
      <button type="submit" class="primary" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
    </form>
  );
}
