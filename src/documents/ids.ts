import { createHash, randomUUID } from 'node:crypto';

const DNS_NAMESPACE = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/**
 * UUID version 5 (RFC 9562, 5.5) in the DNS namespace, for the contract's deterministic identifiers (docs/contract.md
 * 3).
 */
export function uuidFromName(name: string): string {
  const hash = createHash('sha1').update(DNS_NAMESPACE).update(name, 'utf8').digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const userId = (email: string): string => uuidFromName(email.toLowerCase());
export const defaultCollectionId = (owner: string): string => uuidFromName(owner);

/** Identifier of a document derived from `name`: its title, file name, raw text or joined chunks. */
export const documentId = (name: string, owner: string): string =>
  uuidFromName(`${name.replaceAll('/', '_')}-${owner}`);

export const newId = (): string => randomUUID();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isUuid = (value: string): boolean => UUID.test(value);

/** Whether the identifier is a UUID version 5, as those of default collections are. */
export const isMadeFromName = (id: string): boolean => id.charAt(14) === '5';
