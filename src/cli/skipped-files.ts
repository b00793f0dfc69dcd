import type { SkipReason } from '../ingest/folders/find-files.ts';
import type { CommandContext } from './command-context.ts';
import { visibleLine } from './layout.ts';
import { count } from './progress-line.ts';

export interface NamedSkip {
  readonly name: string;
  readonly reason: SkipReason;
}

/** Failures and skipped files that a summary repeats; `documents list` has the rest. */
export const MAX_NAMED = 20;

/** Hidden files, dependencies, generated and Citewell's own files are skipped without being named. */
export const isWorthNaming = (reason: SkipReason): boolean => !UNNAMED.has(reason);
const UNNAMED: ReadonlySet<SkipReason> = new Set(['hidden', 'dependencies', 'generated', 'own']);

/** Lists skipped files and the reasons below the summary. */
export function noteSkipped(named: readonly NamedSkip[], output: CommandContext['output']): void {
  for (const { name, reason } of named.slice(0, MAX_NAMED))
    output.note(
      `${output.noteStyle('yellow', 'skipped')} ${visibleLine(name)}: ${reasonWords[reason] ?? skipWords[reason]}`,
    );
  if (named.length > MAX_NAMED) output.note(`  and ${count(named.length - MAX_NAMED)} more`);
}

/** Wording for a single file, if it differs from that for several in `skipWords`. */
const reasonWords: Partial<Record<SkipReason, string>> = {
  unsupported: 'in no supported format, or damaged',
  missing: 'no longer there, or a link to nothing',
  picture: 'a picture; to read pictures, set CITEWELL_READ_IMAGES to a model or to tesseract',
  undecodable: 'broken, or a picture of a kind that cannot be read; convert it to PNG or JPEG',
  recording: 'a recording; set CITEWELL_TRANSCRIBER to transcribe recordings',
  linked: 'a link to a folder; links to folders are not followed, name the folder itself to ingest it',
};

export const skipWords: Readonly<Record<SkipReason, string>> = {
  hidden: 'hidden',
  dependencies: 'node_modules',
  generated: 'generated for browsers',
  own: "Citewell's data",
  unsupported: 'in no supported format',
  picture: 'pictures',
  undecodable: 'broken or rare kinds of pictures',
  recording: 'recordings',
  empty: 'empty',
  missing: 'no longer there',
  linked: 'behind a link to a folder',
  special: 'neither file nor folder',
};
