const LONGEST_REASON = 300;

/** The part of the native server's output that says why it ended: the panic's message, or else its last lines. */
export function reasonOf(words: string): string {
  const panic = /panicked at [^\n]*\n(?<message>[^\n]+)/.exec(words)?.groups?.['message'];
  const lines = words.split('\n').map((line) => line.trim());
  const last = lines
    .filter((line) => line !== '')
    .slice(-2)
    .join(' ');
  const reason = (panic ?? last).trim().slice(0, LONGEST_REASON);
  if (reason === '') return 'it ended without a word.';
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
