import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, RequestFailure, send, whenSignedOut } from '../api/request.ts';
import { Refusal } from '../parts/refusal.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { focusView } from '../router.ts';
import { openTabs } from '../tabs.ts';
import { texts } from '../texts.ts';
import { forgetRuns } from '../views/ask/known-runs.ts';

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

/** Tells the other tabs of this browser, which share the cookies, that someone signed in or out. */
const tabs = openTabs('citewell-session');

tabs.hear((message) => {
  if (message === 'signed_out') startAnew();
  else void loadSession();
});

/** Reloads the page, so that none of a user's data is left in memory. */
function startAnew(): void {
  forgetRuns();
  location.assign('/');
}

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
      startAnew();
      return;
    }
    lastUser = user.id;
    session.value = { kind: 'signed_in', user };
  } catch (error) {
    if (!(error instanceof RequestFailure && error.status === 401)) session.value = { kind: 'unknown' };
  }
}

/** Signs out, also in the other tabs. Throws `RequestFailure`. */
export async function signOut(): Promise<void> {
  await send('/session', { method: 'DELETE' });
  tabs.tell('signed_out');
  startAnew();
}

/** The sign-in form. The session cookie is HTTP-only. */
export function SignIn() {
  const { failure, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const email = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);
  useEffect(() => email.current?.focus(), []);
  const submit = async () => {
    setBusy(true);
    await attempt(async () => {
      const body = { email: email.current?.value, password: password.current?.value };
      await send('/session', { method: 'POST', body }).catch((error: unknown) => {
        throw error instanceof RequestFailure && error.status === 401 ? new Error(texts.signIn.refused) : error;
      });
      tabs.tell('signed_in');
      await loadSession();
    });
    setBusy(false);
    // The focus was on the button, which was disabled meanwhile.
    if (session.peek().kind === 'signed_in') focusView();
    else password.current?.select();
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h1>{texts.signIn.title}</h1>
      <label>
        {texts.signIn.email}
        <input ref={email} name="email" type="email" autocomplete="username" required />
      </label>
      <label>
        {texts.signIn.password}
        <input ref={password} name="password" type="password" autocomplete="current-password" required />
      </label>
      <Refusal message={failure} />
      <button type="submit" class="primary" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
    </form>
  );
}
