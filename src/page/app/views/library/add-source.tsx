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
import { addSource, loadKinds, type SourceKind } from './sources-data.ts';

interface AddSourceProps {
  readonly collection: string | undefined;
  readonly onAdded: () => void;
  readonly onClose: () => void;
}

/** Adds a source of any kind that the server supports, with the fields of that kind. */
export function AddSource(props: AddSourceProps) {
  const kinds = useResource(loadKinds, []);
  return (
    <Dialog title={texts.sources.add} onClose={props.onClose}>
      {kinds.kind === 'loading' && <p class="notice">{texts.loading}</p>}
      {kinds.kind === 'failed' && <Failure error={kinds.error} retry={kinds.reload} />}
      {kinds.kind === 'loaded' && <AddSourceForm {...props} kinds={kinds.value} />}
    </Dialog>
  );
}

type FormProps = AddSourceProps & { readonly kinds: readonly SourceKind[] };

function AddSourceForm({ kinds, collection, onAdded, onClose }: FormProps) {
  const [chosen, setChosen] = useState(kinds[0]?.kind);
  const { failure, canSkipCheck, setFailure, attempt } = useAttempt();
  const kind = kinds.find((each) => each.kind === chosen);
  if (kind === undefined) return <p class="notice">{texts.sources.noKinds}</p>;
  const submit = (entered: FormData) =>
    attempt(async () => {
      const source = await addSource(
        {
          kind: kind.kind,
          settings: readSettings(kind.fields, entered),
          credentials: readCredentials(kind.fields, entered),
          every_minutes: readSchedule(entered),
          keep_deleted: entered.get('keep_deleted') !== null,
          check: !skipsCheck(entered),
        },
        collection,
      );
      announce(texts.sources.added(source.location));
      onAdded();
      onClose();
    });
  const skip = canSkipCheck ? texts.sources.addAnyway : undefined;
  return (
    <SourceForm submit={submit} failure={failure} action={texts.library.add} skip={skip}>
      <label>
        {texts.sources.kind}
        <select
          value={chosen}
          onChange={({ currentTarget: { value } }) => {
            setChosen(value);
            setFailure(undefined);
          }}
        >
          {kinds.map(({ kind: name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {kind.fields.map(
        (field) => field.type !== 'credential' && <Field key={`${chosen} ${field.name}`} field={field} />,
      )}
      <Credentials key={chosen} fields={kind.fields} />
      <Schedule every={60} />
      <KeepDeleted isKept={false} label={texts.sources.keepDeleted} />
    </SourceForm>
  );
}
