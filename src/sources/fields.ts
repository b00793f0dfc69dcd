import { z } from 'zod';

/** A setting of a kind of source. Appears in API requests, as a command-line option and as a form field. */
export interface SourceField {
  readonly type: 'text' | 'list' | 'number' | 'flag';
  /** One line for display. */
  readonly description: string;
  readonly example?: string;
  readonly isRequired?: boolean;
  /** Part of the identity of the source, like required fields, and therefore immutable. */
  readonly isFixed?: boolean;
  /** Bounds (inclusive) of a number. */
  readonly least?: number;
  readonly most?: number;
}

/** A credential. It is stored encrypted and never displayed. */
export interface SecretField {
  readonly description: string;
  /** Environment variable from which the command line reads it. */
  readonly variable: string;
  readonly isRequired?: boolean;
  /** May span several lines, like a key file. */
  readonly isLong?: boolean;
}

export type SourceFields = Readonly<Record<string, SourceField>>;
export type SecretFields = Readonly<Record<string, SecretField>>;

interface Types {
  readonly text: string;
  readonly list: readonly string[];
  readonly number: number;
  readonly flag: boolean;
}

/** The values of these fields. */
export type SettingsOf<Fields extends SourceFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly isRequired: true }
    ? Types[Fields[Name]['type']]
    : Types[Fields[Name]['type']] | undefined;
};

export type SecretsOf<Fields extends SecretFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends { readonly isRequired: true } ? string : string | undefined;
};

export type Settings = Readonly<Record<string, string | readonly string[] | number | boolean>>;
export type Secrets = Readonly<Record<string, string>>;

const MAX_TEXT = 2_000;
const MAX_SECRET = 10_000;
const MAX_LIST = 100;

// Control characters are invalid in names and addresses, and would allow header or command injection.
const text = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TEXT)
  .regex(/^\P{Cc}*$/u, 'Control characters are not allowed.');

const schemaOf = ({ type, least, most }: SourceField): z.ZodType => {
  switch (type) {
    case 'text':
      return text;
    case 'list':
      return z.array(text).max(MAX_LIST);
    case 'number':
      return z
        .int()
        .min(least ?? 0)
        .max(most ?? 1_000_000_000);
    case 'flag':
      return z.boolean();
  }
};

/** Schema of settings; unknown members are rejected. */
export const settingsSchema = (fields: SourceFields): z.ZodType<Settings> =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const described = schemaOf(field).describe(field.description);
        // Required settings may come from the address instead, so all of them are optional in the schema.
        return [name, described.optional()];
      }),
    ),
  ) as unknown as z.ZodType<Settings>;

/** Changes to settings; null removes a setting. */
export type SettingChanges = Readonly<Record<string, Settings[string] | null>>;

export const settingChangesSchema = (fields: SourceFields): z.ZodType<SettingChanges> =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const described = schemaOf(field).describe(field.description);
        return [name, field.isRequired === true ? described.optional() : described.nullable().optional()];
      }),
    ),
  ) as unknown as z.ZodType<SettingChanges>;

/** Schema of credentials. Its messages never contain a value. */
export const secretsSchema = (fields: SecretFields): z.ZodType<Secrets> =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, { description, isRequired, isLong }]) => {
        const secret = z.string().min(1).max(MAX_SECRET);
        const described = (isLong ? secret : secret.regex(/^[^\r\n\0]*$/, 'Line breaks are not allowed.')).describe(
          description,
        );
        return [name, isRequired === true ? described : described.optional()];
      }),
    ),
  ) as unknown as z.ZodType<Secrets>;
