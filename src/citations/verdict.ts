/** All verdicts, from the strongest to the weakest. */
export const verdicts = ['verbatim', 'close', 'elsewhere', 'not_found'] as const;

/**
 * How well a source supports a statement, decided lexically and without a model. `verbatim`: the source contains the
 * statement (or everything it quotes) word for word. `close`: it contains most terms and all numbers. `elsewhere`:
 * another source of the run does. `not_found`: no source does.
 */
export type Verdict = (typeof verdicts)[number];

/** Whether the cited source itself says so. */
export const supports = (verdict: Verdict): boolean => verdict === 'verbatim' || verdict === 'close';

/** Sorts from the strongest to the weakest. */
export const compareVerdicts = (one: Verdict, other: Verdict): number =>
  verdicts.indexOf(one) - verdicts.indexOf(other);
