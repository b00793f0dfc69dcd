import type { AcceptedDifference, TestOutcome } from './outcome.ts';

export interface SuiteReport {
  readonly title: string;
  readonly outcomes: readonly TestOutcome[];
  readonly accepted: readonly AcceptedDifference[];
  readonly hasModel: boolean;
}

const MAX_MESSAGE_LENGTH = 400;

/** Formats the report; `hasNewFailure` is true if a test failed that is not in the accepted list. */
export function reportSuite({ title, outcomes, accepted, hasModel }: SuiteReport): {
  readonly lines: readonly string[];
  readonly hasNewFailure: boolean;
} {
  const expected = accepted.filter(({ onlyWithoutModel }) => !(hasModel && onlyWithoutModel));
  const reasonOf = ({ file, name }: TestOutcome) =>
    expected.find((each) => each.file === file && each.test === name)?.reason;
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  const fresh = failed.filter((each) => reasonOf(each) === undefined);
  const passing = outcomes.filter((each) => each.outcome === 'passed' && reasonOf(each) !== undefined);
  return {
    hasNewFailure: fresh.length > 0,
    lines: [
      `${title}, ${hasModel ? 'with a scripted model' : 'without a model'}`,
      ...[...new Set(outcomes.map(({ file }) => file))].sort().map((file) => {
        const here = outcomes.filter((each) => each.file === file);
        return `  ${file}: ${tally(here)}`;
      }),
      `  all: ${tally(outcomes)}`,
      ...failed
        .filter((each) => !fresh.includes(each))
        .map((each) => `accepted  ${each.file}: ${each.name} (${reasonOf(each)})`),
      ...passing.map(({ file, name }) => `passes now, its accepted difference can go  ${file}: ${name}`),
      ...fresh.map(({ file, name, message }) => `NEW FAILURE  ${file}: ${name}\n    ${shorten(message)}`),
    ],
  };
}

function tally(outcomes: readonly TestOutcome[]): string {
  const count = (wanted: TestOutcome['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  const skipped = count('skipped');
  return `${count('passed')} of ${outcomes.length - skipped} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}

const shorten = (message: string): string =>
  message.trim().slice(0, MAX_MESSAGE_LENGTH).replaceAll('\n', '\n    ').trimEnd();
