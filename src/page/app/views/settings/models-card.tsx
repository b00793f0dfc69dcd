import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { type FoundEmbedder, type FoundModel, loadModelChoices, rememberedModel, rememberModel } from '../../models.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';

/** Providers and models: the one in use, others that are configured, and those found on the machine. */
export function Models() {
  const choices = useResource(loadModelChoices, []);
  const [own, setOwn] = useState(rememberedModel());
  const choose = (name: string) => {
    rememberModel(name);
    setOwn(name);
    announce(name === '' ? texts.settings.modelReset : texts.settings.modelChosen(name));
  };
  return (
    <section class="card" aria-labelledby="settings-models">
      <h2 id="settings-models">{texts.settings.models}</h2>
      {choices.kind === 'loading' && <p class="notice">{texts.settings.lookingForModels}</p>}
      {choices.kind === 'failed' && <Failure error={choices.error} retry={choices.reload} />}
      {own !== '' && (
        <p class="own-model">
          {texts.settings.ownModel(own)}{' '}
          <button type="button" onClick={() => choose('')}>
            {texts.settings.useConfigured}
          </button>
        </p>
      )}
      {choices.kind === 'loaded' && choices.value !== undefined && (
        <>
          <dl class="facts">
            {Object.entries(choices.value.in_use).map(([use, name]) => (
              <div key={use}>
                <dt>{texts.settings.modelUse(use)}</dt>
                <dd>{name}</dd>
              </div>
            ))}
            <div>
              <dt>{texts.settings.providers}</dt>
              <dd>
                {choices.value.providers.length === 0
                  ? texts.settings.noProviders
                  : choices.value.providers.map(({ name, address, has_key: hasKey }) => (
                      <div key={name}>{texts.settings.provider(name, address, hasKey)}</div>
                    ))}
              </dd>
            </div>
          </dl>
          <h3>{texts.settings.foundModels}</h3>
          {choices.value.found.length + choices.value.embedders.length === 0 && (
            <p class="notice">
              {choices.value.looks_for_models ? texts.settings.noModelsFound : texts.settings.modelSearchOff}
            </p>
          )}
          {choices.value.found.length > 0 && (
            <ul class="found-models">
              {choices.value.found.map((model) => (
                <Found key={model.name} model={model} isOwn={model.name === own} onChoose={() => choose(model.name)} />
              ))}
            </ul>
          )}
          {choices.value.embedders.length > 0 && (
            <>
              <h3>{texts.settings.foundEmbedders}</h3>
              <p class="notice">{texts.settings.foundEmbeddersText}</p>
              <ul class="found-models">
                {choices.value.embedders.map((embedder) => (
                  <Embedder key={embedder.name} embedder={embedder} />
                ))}
              </ul>
            </>
          )}
          {choices.value.looks_for_models && (
            <div class="settings-actions">
              <button type="button" onClick={choices.reload}>
                {texts.settings.lookAgainForModels}
              </button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Found({
  model,
  isOwn,
  onChoose,
}: {
  readonly model: FoundModel;
  readonly isOwn: boolean;
  readonly onChoose: () => void;
}) {
  const { name, is_usable: isUsable, settings } = model;
  return (
    <li>
      <p>
        <strong>{name}</strong> <span class="notice">{texts.settings.foundModel(model)}</span>
      </p>
      <div class="settings-actions">
        {isUsable && (
          <button type="button" aria-pressed={isOwn} onClick={onChoose}>
            {isOwn ? texts.settings.inUseHere : texts.settings.useHere}
          </button>
        )}
        <SettingLines settings={settings} />
      </div>
    </li>
  );
}

function Embedder({ embedder }: { readonly embedder: FoundEmbedder }) {
  const { name, settings } = embedder;
  return (
    <li>
      <p>
        <strong>{name}</strong> <span class="notice">{texts.settings.foundModel(embedder)}</span>
      </p>
      <div class="settings-actions">
        <SettingLines settings={settings} />
      </div>
    </li>
  );
}

/** The lines to set, with a button that copies them. */
function SettingLines({ settings }: { readonly settings: readonly string[] }) {
  const lines = settings.join('\n');
  return (
    <>
      <code class="setting-line">{lines}</code>
      <CopyButton text={lines} label={texts.settings.copySetting} />
    </>
  );
}
