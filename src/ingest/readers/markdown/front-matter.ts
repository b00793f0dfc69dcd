import { parseDocument } from 'yaml';
import type { Metadata } from '../../../documents/document.ts';

const FRONT_MATTER = /^\s*---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const MAX_LENGTH = 20_000;
/** Nested aliases can expand a short text exponentially. */
const MAX_ALIASES = 20;

/**
 * Splits the YAML front matter off a Markdown text. A block that is invalid YAML, or has no fields, stays in the text.
 */
export function readFrontMatter(text: string): { readonly body: string; readonly metadata: Metadata } {
  const match = FRONT_MATTER.exec(text.slice(0, MAX_LENGTH));
  const metadata = match?.[1] === undefined ? undefined : parseFields(match[1]);
  if (match === null || metadata === undefined) return { body: text, metadata: {} };
  return { body: text.slice(match[0].length), metadata };
}

function parseFields(source: string): Metadata | undefined {
  try {
    const document = parseDocument(source, { logLevel: 'silent', prettyErrors: false, uniqueKeys: false });
    if (document.errors.length > 0) return undefined;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    // Values that JSON cannot represent, such as infinite numbers, become null.
    const fields = JSON.parse(JSON.stringify(value)) as Metadata;
    return Object.keys(fields).length === 0 ? undefined : fields;
  } catch {
    // Nested too deeply, or with too many aliases.
    return undefined;
  }
}
