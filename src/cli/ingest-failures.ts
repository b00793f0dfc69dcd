import { visibleLine } from './layout.ts';
import type { Output } from './output.ts';
import { count } from './progress-line.ts';
import { MAX_NAMED } from './skipped-files.ts';

/** A source that was not ingested. */
export interface IngestFailure {
  readonly name: string;
  readonly reason: string;
}

/** Lists the failures below the summary, grouped by their reason; the reason that most sources share comes first. */
export function noteFailures(failures: readonly IngestFailure[], output: Pick<Output, 'note' | 'noteStyle'>): void {
  const groups = groupByReason(failures);
  const label = output.noteStyle('red', 'failed');
  for (const { reason, members } of groups.slice(0, MAX_NAMED)) {
    const [first] = members;
    if (first !== undefined && members.length === 1) {
      output.note(`${label} ${visibleLine(first.name)}: ${visibleLine(first.reason)}`);
      continue;
    }
    output.note(`${label} ${count(members.length)}: ${visibleLine(reason)}`);
    for (const { name } of members.slice(0, MAX_NAMED)) output.note(`  ${visibleLine(name)}`);
    if (members.length > MAX_NAMED) output.note(`  and ${count(members.length - MAX_NAMED)} more`);
  }
  const left = groups.slice(MAX_NAMED).reduce((sum, { members }) => sum + members.length, 0);
  if (left > 0) output.note(`  and ${count(left)} more, for other reasons`);
}

interface ReasonGroup {
  /** Without the name of the file. */
  readonly reason: string;
  readonly members: readonly IngestFailure[];
}

function groupByReason(failures: readonly IngestFailure[]): readonly ReasonGroup[] {
  return [...Map.groupBy(failures, withoutName)]
    .map(([reason, members]) => ({ reason, members: members.toSorted(byName) }))
    .toSorted((one, other) => other.members.length - one.members.length);
}

/** Reasons begin with the name of their file, which would make each of them different. */
function withoutName({ name, reason }: IngestFailure): string {
  const fileName = name.split(/[/\\]/).at(-1);
  return fileName === undefined || fileName === '' ? reason : reason.replaceAll(fileName, '…');
}

const byName = (one: IngestFailure, other: IngestFailure): number => (one.name < other.name ? -1 : 1);
