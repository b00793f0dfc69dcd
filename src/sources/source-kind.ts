import type { ConnectorParts, SourceConnector } from './connector.ts';
import type { SecretFields, SecretsOf, SettingsOf, SourceFields } from './fields.ts';

/** A kind of source outside this machine: how it is set up, how its address looks, and how it is opened. */
export interface SourceKind<
  Fields extends SourceFields = SourceFields,
  SecretNames extends SecretFields = SecretFields,
> {
  /** Name in requests and records. */
  readonly type: string;
  /** For people. */
  readonly title: string;
  /** Schemes of the addresses that this kind is recognised by, such as `s3`. */
  readonly schemes: readonly string[];
  /** How such an address looks. */
  readonly example: string;
  /** Only superusers may follow it, since it is reached with access of the service and not of the user. */
  readonly isForSuperusers?: boolean;
  readonly fields: Fields;
  readonly secrets: SecretNames;
  /** The settings that an address of one of the schemes says. Throws `invalid_request`. */
  readAddress(address: URL): Partial<SettingsOf<Fields>>;
  /**
   * The address by which these settings are shown and told from others; without credentials. Throws `invalid_request`
   * for settings that contradict each other.
   */
  addressOf(settings: SettingsOf<Fields>): string;
  /** Refuses settings that this service cannot follow, when they are added. Throws `invalid_request`. */
  requireKnown?(settings: SettingsOf<Fields>, parts: Pick<ConnectorParts, 'mcp'>): void;
  /** Opens nothing yet: connections are made when something is listed. */
  open(settings: SettingsOf<Fields>, secrets: SecretsOf<SecretNames>, parts: ConnectorParts): Promise<SourceConnector>;
}

/** Keeps the types of the fields for `open`, and forgets them for the list of all kinds. */
export const defineSourceKind = <const Fields extends SourceFields, const Names extends SecretFields>(
  kind: SourceKind<Fields, Names>,
): SourceKind => kind as unknown as SourceKind;
