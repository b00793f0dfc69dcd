import { loadCollections } from '../../api/load-collections.ts';
import { useResource } from '../../api/resource.ts';
import { loadModelChoices, rememberModel } from '../../models.ts';
import { setQuery } from '../../router.ts';
import { session } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import type { Scope } from './ask-parameters.ts';

/** Selects documents and model; stored in the URL. */
export function ScopeFields({
  scope,
  model,
  problem,
}: {
  readonly scope: Scope;
  readonly model: string | undefined;
  readonly problem: string | undefined;
}) {
  const collections = useResource((signal) => loadCollections(signal), []);
  const { value: who } = session;
  const isAdmin = who.kind === 'signed_in' && who.user.is_superuser;
  const choices = useResource(async (signal) => (isAdmin ? loadModelChoices(signal) : undefined), [isAdmin]);
  const found =
    choices.kind === 'loaded'
      ? (choices.value?.found ?? []).flatMap(({ name, is_usable: isUsable }) => (isUsable ? name : []))
      : [];
  const listed = collections.kind === 'loaded' ? collections.value : [];
  const isUnlisted = scope.collection !== '' && listed.every(({ id }) => id !== scope.collection);
  return (
    <div class="scope-fields">
      <label>
        {texts.ask.collection}
        <select value={scope.collection} onChange={(event) => setQuery({ collection: event.currentTarget.value })}>
          <option value="">{texts.ask.everything}</option>
          {isUnlisted && <option value={scope.collection}>{scope.collection}</option>}
          {listed.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <AsOf asOf={scope.asOf} />
      <label>
        {texts.ask.model}
        <input
          type="text"
          list="ask-models"
          value={scope.model}
          placeholder={texts.ask.standardModel(model)}
          spellcheck={false}
          autocomplete="off"
          onChange={(event) => {
            const name = event.currentTarget.value.trim();
            rememberModel(name);
            setQuery({ model: name });
          }}
        />
        <datalist id="ask-models">
          {[...new Set([...(model === undefined ? [] : [model]), ...found])].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <label class="wide">
        {texts.ask.filter}
        <input
          type="text"
          value={scope.filter}
          placeholder={texts.ask.filterExample}
          spellcheck={false}
          autocomplete="off"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : 'ask-filter-problem'}
          onInput={(event) => setQuery({ filter: event.currentTarget.value })}
        />
        {problem !== undefined && (
          <span id="ask-filter-problem" class="problem">
            {problem}
          </span>
        )}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={scope.thinking !== ''}
          onChange={(event) => setQuery({ thinking: event.currentTarget.checked ? '1' : null })}
        />
        {texts.ask.showThinking}
      </label>
    </div>
  );
}

/** A date input; a time from the URL is shown as text. */
function AsOf({ asOf }: { readonly asOf: string }) {
  const shared = {
    id: 'ask-as-of',
    value: asOf,
    title: texts.ask.asOfHint,
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => setQuery({ as_of: event.currentTarget.value }),
  };
  const isDay = /^$|^\d{4}-\d\d-\d\d$/.test(asOf);
  return (
    <div class="field">
      <label for="ask-as-of">{texts.ask.asOf}</label>
      {isDay ? <input type="date" {...shared} /> : <input type="text" {...shared} />}
    </div>
  );
}
