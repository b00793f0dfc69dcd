/** Milliseconds before a stage is named where there is no terminal, and between two lines about it. */
const START_MS = 2_000;
const REPORT_MS = 15_000;

/**
 * Reports on a stage where no line can be rewritten: once it lasts, and now and then from then on, always with the latest
 * line, also when nothing has changed. An empty line ends the stage.
 */
export function occasionalLine(write: (line: string) => void): (line: string) => void {
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
