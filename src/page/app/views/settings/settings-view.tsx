import './settings.css';
import { useState } from 'preact/hooks';
import { messageOf, RequestFailure } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { session, signOut } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { Assistants } from './assistants-card.tsx';
import { Keys } from './keys.tsx';
import { Limits } from './limits.tsx';
import { Models } from './models-card.tsx';
import { Password } from './password.tsx';
import { loadSettings, needsCredentials } from './settings-data.ts';
import { System } from './system.tsx';
import { Users } from './users.tsx';

/** The Settings view: system status, users, keys and connection of assistants. */
export function SettingsView() {
  const { value: who } = session;
  const settings = useResource(
    (signal) =>
      loadSettings(signal).catch((error: unknown) => {
        // Readable by superusers only; without it, credentials are assumed to be required.
        if (error instanceof RequestFailure && error.status === 403) return undefined;
        throw error;
      }),
    [],
  );
  const [deletions, setDeletions] = useState(0);
  // The cards below would be pushed down while they are read.
  const [isStatusShown, setStatusShown] = useState(false);
  if (who.kind !== 'signed_in') return <p class="notice">{texts.loading}</p>;
  const { user } = who;
  const needsKey =
    settings.kind === 'loaded' ? settings.value === undefined || needsCredentials(settings.value) : !user.is_superuser;
  return (
    <div class="settings">
      <header class="settings-head">
        <h1>{texts.settings.title}</h1>
        <p>
          {needsKey ? texts.settings.signedInAs(user.email) : texts.settings.noSignIn(user.email)}{' '}
          {needsKey && <SignOut />}
        </p>
      </header>
      {user.is_superuser && <System onShown={() => setStatusShown(true)} />}
      {(isStatusShown || !user.is_superuser) && (
        <>
          {user.is_superuser && <Models />}
          <Assistants origin={location.origin} needsKey={needsKey} />
          {needsKey && <Password user={user} onKeysDeleted={() => setDeletions(deletions + 1)} />}
          <Keys key={deletions} userId={user.id} />
          <Limits userId={user.id} />
          {user.is_superuser && <Users ownId={user.id} />}
          <p class="notice">{texts.settings.theme}</p>
        </>
      )}
    </div>
  );
}

function SignOut() {
  const [problem, setProblem] = useState<string>();
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setProblem(undefined);
          signOut().catch((error: unknown) => setProblem(messageOf(error)));
        }}
      >
        {texts.settings.signOut}
      </button>
      {problem !== undefined && <span role="alert"> {problem}</span>}
    </>
  );
}
