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

/** Hidden files, dependencies and Citewell's own files are skipped without being named. */
export const isWorthNaming = (reason: SkipReason): boolean => reason === 'unsupported' || reason === 'special';

/** Below the summary: files passed over, and why. */
export function noteSkipped(named: readonly NamedSkip[], output: CommandContext['output']): void {
  for (const { name, reason } of named.slice(0, MAX_NAMED))
    output.note(`${output.noteStyle('yellow', 'skipped')} ${visibleLine(name)}: ${skipWords[reason]}`);
  if (named.length > MAX_NAMED) output.note(`  and ${count(named.length - MAX_NAMED)} more`);
}

export const skipWords: Readonly<Record<SkipReason, string>> = {
  hidden: 'hidden',
  dependencies: 'node_modules',
  own: "Citewell's data",
  unsupported: 'of a type that cannot be read',
  unreadable: 'not readable',
  special: 'neither file nor folder',
};
