import { useState } from 'preact/hooks';
import { useResource } from '../../api/resource.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useAttempt } from '../../parts/use-attempt.ts';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';
import {
  Credentials,
  Field,
  KeepDeleted,
  readCredentials,
  readSchedule,
  readSettings,
  Schedule,
} from './kind-fields.tsx';
import { SourceForm, skipsCheck } from './source-form.tsx';
import { changeSource, type FollowedSource, loadKinds, type SourceChange, type SourceKind } from './sources-data.ts';

interface ChangeSourceProps {
  readonly source: FollowedSource;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes how a source is followed, but not what is followed. */
export function ChangeSource(props: ChangeSourceProps) {
  const { source, onClose } = props;
  return (
    <Dialog title={texts.sources.changeTitle(source.location)} onClose={onClose}>
      {source.kind === 'folder' ? (
        <ChangeFolder {...props} />
      ) : source.kind === 'site' ? (
        <ChangeSite {...props} />
      ) : (
        <ChangeRemote {...props} />
      )}
    </Dialog>
  );
}

/** Returns a function that sends a change and closes the dialog, and the reason if the change was refused. */
function useChange({ source, onChanged, onClose }: ChangeSourceProps) {
  const { failure, canSkipCheck, attempt } = useAttempt();
  const send = (change: SourceChange) =>
    attempt(async () => {
      await changeSource(source.id, change);
      announce(texts.sources.changed);
      onChanged();
      onClose();
    });
  return { failure, send, skip: canSkipCheck ? texts.sources.saveAnyway : undefined };
}

function ChangeFolder(props: ChangeSourceProps) {
  const { failure, send } = useChange(props);
  const submit = (entered: FormData) => send({ keep_deleted: entered.get('keep_deleted') !== null });
  return (
    <SourceForm submit={submit} failure={failure} action={texts.sources.save}>
      <KeepDeleted isKept={props.source.keep_deleted === true} label={texts.library.keepDeleted} />
    </SourceForm>
  );
}

function ChangeSite(props: ChangeSourceProps) {
  const { source } = props;
  const { failure, send } = useChange(props);
  const [isSitemap, setSitemap] = useState(source.sitemap === true);
  const submit = (entered: FormData) => {
    const depth = isSitemap ? {} : { crawl_depth: Number(entered.get('depth')) };
    return send({ sitemap: isSitemap, max_pages: Number(entered.get('max_pages')), ...depth });
  };
  return (
    <SourceForm submit={submit} failure={failure} action={texts.sources.save}>
      <fieldset class="choices">
        <legend>{texts.library.pages}</legend>
        {[false, true].map((each) => (
          <label key={String(each)} class="check">
            <input type="radio" name="scope" checked={isSitemap === each} onChange={() => setSitemap(each)} />
            {each ? texts.library.sitemap : texts.library.crawl}
          </label>
        ))}
      </fieldset>
      {!isSitemap && (
        <label>
          {texts.library.depth}
          <input name="depth" type="number" min={0} max={10} defaultValue={String(source.crawl_depth ?? 1)} required />
        </label>
      )}
      <label>
        {texts.library.maxPages}
        <input name="max_pages" type="number" min={1} max={10_000} defaultValue={String(source.max_pages)} required />
      </label>
    </SourceForm>
  );
}

function ChangeRemote(props: ChangeSourceProps) {
  const kinds = useResource(loadKinds, []);
  if (kinds.kind === 'loading') return <p class="notice">{texts.loading}</p>;
  if (kinds.kind === 'failed') return <Failure error={kinds.error} retry={kinds.reload} />;
  const kind = kinds.value.find((each) => each.kind === props.source.kind);
  return kind === undefined ? <p class="notice">{texts.sources.noKinds}</p> : <RemoteForm {...props} kind={kind} />;
}

function RemoteForm({ kind, ...props }: ChangeSourceProps & { readonly kind: SourceKind }) {
  const { source } = props;
  const { failure, send, skip } = useChange(props);
  const hasCredentials = kind.fields.some(({ type }) => type === 'credential');
  const [isReplacing, setReplacing] = useState(false);
  const settings = kind.fields.filter(({ type, is_fixed: isFixed }) => type !== 'credential' && !isFixed);
  const submit = (entered: FormData) => {
    const before = source.settings ?? {};
    const after = readSettings(settings, entered);
    const changed = settings.flatMap(({ name }): [string, (typeof before)[string] | null][] =>
      JSON.stringify(before[name]) === JSON.stringify(after[name]) ? [] : [[name, after[name] ?? null]],
    );
    return send({
      every_minutes: readSchedule(entered),
      keep_deleted: entered.get('keep_deleted') !== null,
      ...(changed.length > 0 && { settings: Object.fromEntries(changed) }),
      ...(isReplacing && { credentials: readCredentials(kind.fields, entered) }),
      ...(skipsCheck(entered) && { check: false }),
    });
  };
  return (
    <SourceForm submit={submit} failure={failure} action={texts.sources.save} skip={skip}>
      {settings.map((field) => (
        <Field key={field.name} field={field} value={source.settings?.[field.name]} />
      ))}
      {hasCredentials && (
        <label class="check">
          <input type="checkbox" checked={isReplacing} onChange={() => setReplacing(!isReplacing)} />
          {texts.sources.replaceCredentials(source.has_credentials === true)}
        </label>
      )}
      {isReplacing && <Credentials fields={kind.fields} />}
      <Schedule every={source.every_minutes} />
      <KeepDeleted isKept={source.keep_deleted === true} label={texts.sources.keepDeleted} />
    </SourceForm>
  );
}
