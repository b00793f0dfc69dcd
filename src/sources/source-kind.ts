import type { ConnectorParts, SourceConnector } from './connector.ts';
import type { SecretFields, SecretsOf, SettingsOf, SourceFields } from './fields.ts';

/** A kind of remote source: its settings, its address format, and how it is opened. */
export interface SourceKind<
  Fields extends SourceFields = SourceFields,
  SecretNames extends SecretFields = SecretFields,
> {
  /** Identifier in API requests and stored records. */
  readonly type: string;
  /** Name for display. */
  readonly title: string;
  /** URL schemes that identify this kind, such as `s3`. */
  readonly schemes: readonly string[];
  /** An example address. */
  readonly example: string;
  /** Restricted to superusers, because it is accessed with the rights of the service rather than the user's. */
  readonly isForSuperusers?: boolean;
  readonly fields: Fields;
  readonly secrets: SecretNames;
  /** Parses the settings from an address with one of the schemes. Throws `invalid_request`. */
  readAddress(address: URL): Partial<SettingsOf<Fields>>;
  /**
   * The address that identifies and displays a source with these settings; contains no credentials. Throws
   * `invalid_request` for contradictory settings.
   */
  addressOf(settings: SettingsOf<Fields>): string;
  /** Called when a source is added. Throws `invalid_request` for settings that this service cannot follow. */
  requireKnown?(settings: SettingsOf<Fields>, parts: Pick<ConnectorParts, 'mcp'>): void;
  /** Does not connect yet: connections are opened by the first listing. */
  open(settings: SettingsOf<Fields>, secrets: SecretsOf<SecretNames>, parts: ConnectorParts): Promise<SourceConnector>;
}

/** Type-checks `open` against the declared fields, then widens the type so that all kinds fit one list. */
export const defineSourceKind = <const Fields extends SourceFields, const Names extends SecretFields>(
  kind: SourceKind<Fields, Names>,
): SourceKind => kind as unknown as SourceKind;
