import { ServiceError } from '../../errors.ts';

const MAX_NAME_LENGTH = 512;

/**
 * The name of a collection in Chroma: the prefix that marks it as Citewell's, then its own name with every character
 * that Chroma does not allow written as `_` and its code. (Chroma allows letters, digits, `.`, `_` and `-`, and a
 * letter or digit at the end.)
 */
export function toCollectionName(prefix: string, name: string): string {
  const escaped = [...Buffer.from(name, 'utf8')]
    .map((byte) => String.fromCharCode(byte))
    .join('')
    .replaceAll(/[^A-Za-z0-9-]|-$/g, (character) => `_${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  const full = `${prefix}-${escaped}`;
  if (escaped === '' || full.length > MAX_NAME_LENGTH) {
    throw new ServiceError('store_failed', `"${name}" cannot name a vector collection: it is empty or too long.`);
  }
  return full;
}

/** The inverse of `toCollectionName`; undefined for a collection of another program. */
export function fromCollectionName(prefix: string, full: string): string | undefined {
  if (!full.startsWith(`${prefix}-`)) return undefined;
  const escaped = full.slice(prefix.length + 1);
  if (!/^(?:[A-Za-z0-9-]|_[0-9a-f]{2})+$/.test(escaped)) return undefined;
  const bytes = escaped.replaceAll(/_([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
