const MAX_REASON_LENGTH = 300;

/** The part of the native server's output that explains why it ended: the panic message, or else its last lines. */
export function reasonOf(words: string): string {
  const panic = /panicked at [^\n]*\n(?<message>[^\n]+)/.exec(words)?.groups?.['message'];
  const lines = words.split('\n').map((line) => line.trim());
  const last = lines.filter((line) => line !== '' && !isChatter(line)).slice(-2);
  const reason = (panic ?? last.join(' ')).trim().slice(0, MAX_REASON_LENGTH);
  if (reason === '') return 'It ended without output.';
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}

/** The banner, and log lines of ordinary requests. */
const isChatter = (line: string): boolean =>
  /^[(#\s]+$/.test(line) ||
  /^\d{4}-\d\d-\d\dT\S+\s+(INFO|DEBUG|TRACE) /.test(line) ||
  /^(at|in) \S+/.test(line) ||
  /^(Saving data to|Connect to Chroma at|Getting started guide|☁|- Sign up|- Copy your data)/.test(line);
