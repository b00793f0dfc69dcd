import type { Json } from '../../../documents/document.ts';
import { ServiceError } from '../../../errors.ts';
import { createTextBuilder, type TextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';

const MAX_DEPTH = 200;
const MAX_TEXT = 200_000_000;

/**
 * JSON and JSON Lines as text: one line per value, prefixed with its path (`routes[2].fare: 12`), so that every line
 * can be understood on its own. Each record of a list is a separate block.
 */
export const jsonReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined) throw new ServiceError('invalid_request', `${fileName} holds no readable text.`);
    const builder = createTextBuilder();
    const isLines = /\.(?:jsonl|ndjson)$/i.test(fileName);
    const values = isLines ? parseLines(decoded.text, fileName) : [parseWhole(decoded.text, fileName)];
    for (const value of values) addValue({ builder, fileName }, value);
    const title = isLines ? undefined : titleOf(values[0]);
    return { ...builder.finish(), ...(title === undefined ? {} : { title }), metadata: {} };
  },
};

function parseWhole(text: string, fileName: string): Json {
  try {
    return parse(text);
  } catch (error) {
    // JSON Lines are also recognised without the .jsonl extension.
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length > 1 && lines.slice(0, 3).every(isJson)) return parseLines(text, fileName);
    throw notJson(`${fileName} is not valid JSON`, error);
  }
}

function parseLines(text: string, fileName: string): Json[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [parse(line)];
    } catch (error) {
      throw notJson(`Line ${index + 1} of ${fileName} is not valid JSON`, error);
    }
  });
}

/** Keeps numbers as written: a double would change long identifiers, and turn 1.50 into 1.5. */
const parse = (text: string): Json => JSON.parse(text, keepLongNumbers);

// TypeScript's library types lack the third argument.
function keepLongNumbers(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  return typeof value === 'number' ? (source ?? value) : value;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function notJson(what: string, error: unknown): ServiceError {
  const reason = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
  return new ServiceError('invalid_request', `${what}: ${reason}.`, { cause: error });
}

function titleOf(value: Json | undefined): string | undefined {
  if (!isRecord(value)) return undefined;
  const title = value['title'] ?? value['name'];
  return typeof title === 'string' && title.trim() !== '' && title.length <= 200 ? title.trim() : undefined;
}

interface Target {
  readonly builder: TextBuilder;
  readonly fileName: string;
}

/** A block for each record found while descending, lines for its direct values. */
function addValue(target: Target, root: Json): void {
  const lines: string[] = [];
  let size = 0;
  const flush = () => {
    target.builder.add('list', lines.splice(0).join('\n'));
    if (target.builder.length > MAX_TEXT) throw tooMuch(target);
  };
  const visit = (value: Json, path: string, depth: number): void => {
    if (depth > MAX_DEPTH)
      throw new ServiceError('invalid_request', `${target.fileName} is nested more than ${MAX_DEPTH} levels deep.`);
    if (isList(value) && value.some(isBranch)) {
      value.forEach((member, index) => {
        const isRecordOfList = isRecord(member);
        if (isRecordOfList) flush();
        visit(member, `${path}[${index}]`, depth + 1);
        if (isRecordOfList) flush();
      });
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value))
        visit(member, path === '' ? name : `${path}.${name}`, depth + 1);
    } else {
      const line = leafText(value);
      if (line === '') return;
      lines.push(path === '' ? line : `${path}: ${line}`);
      size += path.length + line.length;
      if (size > MAX_TEXT) throw tooMuch(target);
    }
  };
  visit(root, '', 0);
  flush();
}

const tooMuch = ({ fileName }: Target): ServiceError =>
  new ServiceError('too_large', `${fileName} unfolds to more than ${MAX_TEXT} characters; split the file.`);

function leafText(value: Json): string {
  if (value === null) return '';
  return isList(value)
    ? value
        .map((member) => leafText(member))
        .filter(Boolean)
        .join(', ')
    : String(value).trim();
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isRecord = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isBranch = (value: Json): boolean => typeof value === 'object' && value !== null;
