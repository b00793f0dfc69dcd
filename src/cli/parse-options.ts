import { InvalidArgumentError } from 'commander';
import type { Json, Metadata } from '../documents/document.ts';
import { isUuid } from '../documents/ids.ts';
import { timestamp } from '../documents/timestamp.ts';
import { isScoreName, type ScoreName, scoreNames } from '../evaluation/scores.ts';
import { errorMessage } from '../shared/error-message.ts';
import { splitList } from '../shared/text.ts';

/** `--limit`: a whole number from 1 to 1000. */
export function parseLimit(value: string): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw new InvalidArgumentError('Expected a whole number from 1 to 1000.');
  }
  return limit;
}

/** `--offset`: a whole number from 0. */
export function parseOffset(value: string): number {
  const offset = Number(value);
  if (value.trim() === '' || !Number.isInteger(offset) || offset < 0) {
    throw new InvalidArgumentError('Expected a whole number from 0.');
  }
  return offset;
}

/** `--port`: 0 takes any free one. */
export function parsePort(value: string): number {
  const port = Number(value);
  if (value.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidArgumentError('Expected a number from 0 to 65535.');
  }
  return port;
}

/** A whole number from 1 to `max`. */
export const parseCount =
  (max: number) =>
  (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${max}.`);
  };

/** A number above 0, such as seconds or dollars. */
export function parseAmount(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('Expected a number above 0.');
}

/** `--conversation`: a UUID. */
export function parseId(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw new InvalidArgumentError('Expected an identifier such as 7d0c3f0e-6a1b-4c1d-9a53-0a6c0f6b2f11.');
}

/** `--filter`: an object of the filter language. Its members are validated by the search. */
export function parseFilter(value: string): { readonly [key: string]: Json } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch (error) {
    const reason = errorMessage(error);
    throw new InvalidArgumentError(`Expected JSON such as '{"document_type": {"$eq": "pdf"}}' (${reason}).`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new InvalidArgumentError(`Expected a JSON object such as '{"metadata.year": {"$gt": 2020}}'.`);
  }
  return parsed as { readonly [key: string]: Json };
}

/**
 * `--metadata key=value`, repeated. A value that is JSON keeps its type (`year=2024` is a number, `draft=true` a
 * boolean, `tags=["a"]` a list, `code="007"` a text); anything else is the text itself.
 */
export function parseMetadata(value: string, previous: Metadata = {}): Metadata {
  const split = value.indexOf('=');
  const key = value.slice(0, Math.max(0, split)).trim();
  if (key === '') throw new InvalidArgumentError('Expected key=value.');
  return { ...previous, [key]: typed(value.slice(split + 1)) };
}

function typed(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    // Numbers such as 9007199254740993 or 1e999 would lose their value, so they remain text.
    return typeof value === 'number' && String(value) !== text.trim() && !isSameDecimal(value, text) ? text : value;
  } catch {
    return text;
  }
}

function isSameDecimal(value: number, text: string): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) && Number(text) === value;
}

/** Collects a repeated option. */
export const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

/** `--fail-below ndcg@10=0.5`, repeated. */
export function parseScore(
  value: string,
  previous: Readonly<Partial<Record<ScoreName, number>>> = {},
): Readonly<Partial<Record<ScoreName, number>>> {
  const [name = '', number = ''] = value.split('=');
  if (!isScoreName(name)) throw new InvalidArgumentError(`Expected one of ${scoreNames.join(', ')}.`);
  const min = Number(number);
  if (number.trim() !== '' && min >= 0 && min <= 1) return { ...previous, [name]: min };
  throw new InvalidArgumentError('Expected a score and a number from 0 to 1, such as ndcg@10=0.5.');
}

/** Names separated by commas. */
export function parseNames(value: string): string[] {
  const names = splitList(value);
  if (names.length === 0) throw new InvalidArgumentError('Expected names separated by commas.');
  return names;
}

/** A time, converted to UTC in the notation of the records. */
export function parseTimestamp(value: string): string {
  const read = timestamp.safeParse(value);
  if (read.success) return read.data;
  throw new InvalidArgumentError('Expected a time such as 2026-03-01T12:00:00Z, or a date such as 2026-03-01.');
}
