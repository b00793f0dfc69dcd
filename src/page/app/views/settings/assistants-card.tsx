import { useState } from 'preact/hooks';
import { CopyButton } from '../../parts/copy-button.tsx';
import { texts } from '../../texts.ts';
import { assistantsOf, type ServerFacts } from './assistants.ts';

/** The configuration to paste, for one assistant at a time. */
export function Assistants(server: ServerFacts) {
  const assistants = assistantsOf(server);
  const [name, setName] = useState('Claude Code');
  const shown = assistants.find((each) => each.name === name) ?? assistants[0];
  if (shown === undefined) return null;
  return (
    <section class="card" aria-labelledby="settings-assistants">
      <h2 id="settings-assistants">{texts.settings.assistants}</h2>
      <p class="notice">{texts.settings.assistantsText}</p>
      <div class="assistant-names">
        {assistants.map((each) => (
          <button key={each.name} type="button" aria-pressed={each === shown} onClick={() => setName(each.name)}>
            {each.name}
          </button>
        ))}
      </div>
      <p>{shown.where}</p>
      <pre class="snippet">{shown.text}</pre>
      <div class="settings-actions">
        <CopyButton text={shown.text} />
        {server.needsKey && <span class="notice">{texts.settings.keyNeeded}</span>}
      </div>
    </section>
  );
}
