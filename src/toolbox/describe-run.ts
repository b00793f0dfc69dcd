import { stripVTControlCharacters } from 'node:util';
import type { CapturedText, PythonResult } from '../sandbox/sandbox.ts';
import { shortLine, wholeCharacterEnd } from '../shared/text.ts';
import { mediaTypeOf } from './media-type-of.ts';

interface DescribeOptions {
  /** Lines on the documents available to the code. */
  readonly mounted: readonly string[];
  readonly isSession: boolean;
  /** Maximum length in characters. */
  readonly maxLength: number;
  /** Download URL of a file; absent if files cannot be downloaded. */
  readonly linkTo?: ((name: string) => string) | undefined;
}

const MIN_STREAM_LENGTH = 500;
const MAX_NAMES_LENGTH = 500;

/** The result of a Python run as text for a model. */
export function describeRun(result: PythonResult, { mounted, isSession, maxLength, linkTo }: DescribeOptions): string {
  const { value, error, stdout, stderr } = result;
  const otherParts = [
    ...(mounted.length === 0 ? [] : [`Available to the code:\n${mounted.join('\n')}`]),
    ...(value
      ? [
          // Multi-line values such as tables start on a new line, so that their columns stay aligned.
          `Result (${value.type}):${value.repr.includes('\n') ? '\n' : ' '}${clip(value.repr, maxLength / 4)}${value.isTruncated ? ' … (cut)' : ''}`,
        ]
      : []),
    ...(error ? [describeError(result)] : []),
    ...(result.end === 'exit' ? [`The code exited with code ${result.exitCode ?? 0}.`] : []),
    ...fileLines(result, linkTo),
    ...(result.sessionLost ? [describeLoss(result)] : []),
  ];
  const available = Math.max(MIN_STREAM_LENGTH, maxLength - otherParts.join('\n\n').length - 300);
  const streams = [
    ...stream('Printed', stdout, stderr.text === '' ? available : available / 2),
    ...stream('Written to stderr', stderr, stdout.text === '' ? available : available / 2),
  ];
  const parts = [...streams, ...otherParts];
  const nothing = value === undefined && error === undefined && stdout.characters + stderr.characters === 0;
  if (nothing && result.end === 'finished' && result.files.length === 0) {
    parts.push('The code produced no output. Print what is wanted, or end with an expression.');
  }
  const kept = isSession && result.end !== 'timeout' && result.end !== 'memory' && result.end !== 'crash';
  parts.push(`(${Math.round(result.milliseconds)} ms${kept ? '; variables are kept for the next call' : ''})`);
  return parts.map(plain).join('\n\n');
}

function describeLoss({ restoredFiles, lostFiles }: PythonResult): string {
  const gone = restoredFiles === 0 ? 'Variables and files' : 'Variables';
  const [files, them] = restoredFiles === 1 ? ['One file was', 'it'] : [`${restoredFiles} files were`, 'them'];
  const back = restoredFiles === 0 ? '' : ` ${files} restored, as the last completed call left ${them}.`;
  const large =
    lostFiles.length === 0
      ? ''
      : ` Not kept because of their size: ${clip(lostFiles.map((name) => shortLine(name)).join(', '), MAX_NAMES_LENGTH)}.`;
  return `${gone} of earlier calls are lost: define again what is needed.${back}${large}`;
}

function describeError({ error }: PythonResult): string {
  if (error === undefined) return '';
  if (error.traceback !== '') return error.traceback.trimEnd();
  return `${error.type}: ${error.message}`;
}

function stream(name: string, { text, characters, isTruncated }: CapturedText, available: number): string[] {
  if (characters === 0) return [];
  const shown = clip(text, available);
  const isCut = isTruncated || shown.length < text.length;
  const note = isCut
    ? `\n(cut: the first ${shown.length} of ${characters} characters; print less, or write to out/)`
    : '';
  return [`${name}:\n${shown.trimEnd()}${note}`];
}

function fileLines({ files, skippedFiles }: PythonResult, linkTo: DescribeOptions['linkTo']): string[] {
  return [
    ...files.map(
      ({ name, bytes }) =>
        `File: out/${name} (${mediaTypeOf(name)}, ${bytes.byteLength} bytes)${linkTo ? `: ${linkTo(`out/${name}`)}` : ''}`,
    ),
    ...skippedFiles.map(({ name, bytes, reason }) => `Not returned: out/${name} (${bytes} bytes, ${reason})`),
  ];
}

const clip = (text: string, max: number): string => text.slice(0, wholeCharacterEnd(text, Math.floor(max)));

/** Removes terminal control sequences. */
const plain = (text: string): string => stripVTControlCharacters(text).replaceAll(/(?![\t\n\r])\p{Cc}/gu, '�');
