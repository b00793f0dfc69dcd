/** Milliseconds before the first line about a stage, and between two lines. */
const START_MS = 2_000;
const REPORT_MS = 15_000;

/**
 * Status of a long stage on an output whose lines cannot be rewritten: writes the latest line after `START_MS` and then
 * every `REPORT_MS`, even if it has not changed. An empty line ends the stage.
 */
export function throttledLine(write: (line: string) => void): (line: string) => void {
  let latest = '';
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    write(latest);
    timer = setTimeout(report, REPORT_MS).unref();
  };
  return (line) => {
    latest = line;
    if (line !== '') timer ??= setTimeout(report, START_MS).unref();
    else {
      clearTimeout(timer);
      timer = undefined;
    }
  };
}
