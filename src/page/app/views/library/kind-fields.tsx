import { useId } from 'preact/hooks';
import { texts } from '../../texts.ts';
import type { KindField, Settings } from './sources-data.ts';

interface FieldProps {
  readonly field: KindField;
  readonly value?: Settings[string] | undefined;
}

/** An input for a setting or a credential, labelled with its name and followed by its description. */
export function Field({ field, value }: FieldProps) {
  const id = useId();
  const note = `${id}-note`;
  const { name, type, description } = field;
  const described = { id, name: nameOf(field), 'aria-describedby': note };
  return (
    <div class="source-field">
      {type === 'flag' ? (
        <label class="check" for={id}>
          <input {...described} type="checkbox" defaultChecked={value === true} />
          {labelOf(name)}
        </label>
      ) : (
        <label for={id}>
          {labelOf(name)}
          {field.is_required ? '' : ` ${texts.sources.optional}`}
          <Input field={field} value={value} described={described} />
        </label>
      )}
      <p id={note} class="notice">
        {description}
        {type === 'list' && ` ${texts.sources.onePerLine}`}
      </p>
    </div>
  );
}

function Input({ field, value, described }: FieldProps & { readonly described: object }) {
  const shared = { ...described, required: field.is_required, placeholder: field.example ?? undefined };
  switch (field.type) {
    case 'number':
      return (
        <input
          {...shared}
          type="number"
          min={field.least ?? 0}
          max={field.most ?? undefined}
          defaultValue={value === undefined ? '' : String(value)}
        />
      );
    case 'list':
      return (
        <textarea {...shared} rows={3} spellcheck={false} defaultValue={Array.isArray(value) ? value.join('\n') : ''} />
      );
    case 'credential':
      // Browsers ignore "off" for passwords and would fill in the password for this page.
      if (field.is_long) return <textarea {...shared} rows={4} spellcheck={false} autocomplete="off" />;
      return <input {...shared} type="password" autocomplete="new-password" maxLength={10_000} />;
    default:
      return (
        <input
          {...shared}
          type="text"
          spellcheck={false}
          autocomplete="off"
          maxLength={2000}
          defaultValue={value === undefined ? '' : String(value)}
        />
      );
  }
}

const nameOf = ({ name, type }: KindField): string => `${type === 'credential' ? 'credential' : 'setting'}.${name}`;

/** `secret_access_key` becomes “Secret access key”. */
const labelOf = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Reads the settings from the form; empty fields are absent. */
export function readSettings(fields: readonly KindField[], form: FormData): Settings {
  const entered = fields.flatMap((field): [string, Settings[string]][] => {
    if (field.type === 'credential') return [];
    const value = form.get(nameOf(field));
    if (field.type === 'flag') return value === null ? [] : [[field.name, true]];
    const text = String(value ?? '').trim();
    if (text === '') return [];
    if (field.type === 'number') return [[field.name, Number(text)]];
    if (field.type === 'text') return [[field.name, text]];
    const lines = text.split('\n').map((line) => line.trim());
    return [[field.name, lines.filter((line) => line !== '')]];
  });
  return Object.fromEntries(entered);
}

/** Reads the credentials from the form. They are not trimmed, because white space may be part of them. */
export const readCredentials = (fields: readonly KindField[], form: FormData): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = field.type === 'credential' ? String(form.get(nameOf(field)) ?? '') : '';
      return value === '' ? [] : [[field.name, value]];
    }),
  );

export function Credentials({ fields }: { readonly fields: readonly KindField[] }) {
  const credentials = fields.filter(({ type }) => type === 'credential');
  if (credentials.length === 0) return null;
  return (
    <fieldset class="source-credentials">
      <legend>{texts.sources.credentials}</legend>
      <p class="notice">{texts.sources.credentialsNote}</p>
      {credentials.map((field) => (
        <Field key={field.name} field={field} />
      ))}
    </fieldset>
  );
}

/** Intervals to choose from, in minutes. */
const SCHEDULES = [15, 60, 360, 1440, 10_080] as const;

export function Schedule({ every }: { readonly every: number | null }) {
  const offered = every === null || SCHEDULES.some((each) => each === every) ? SCHEDULES : [every, ...SCHEDULES];
  return (
    <label>
      {texts.sources.schedule}
      <select name="every_minutes" defaultValue={String(every ?? '')}>
        {offered.map((minutes) => (
          <option key={minutes} value={minutes} selected={minutes === every}>
            {texts.sources.every(minutes)}
          </option>
        ))}
        <option value="" selected={every === null}>
          {texts.sources.onlyWhenAsked}
        </option>
      </select>
    </label>
  );
}

export const readSchedule = (form: FormData): number | null => {
  const minutes = String(form.get('every_minutes') ?? '');
  return minutes === '' ? null : Number(minutes);
};

export function KeepDeleted({ isKept, label }: { readonly isKept: boolean; readonly label: string }) {
  return (
    <label class="check">
      <input type="checkbox" name="keep_deleted" defaultChecked={isKept} />
      {label}
    </label>
  );
}
