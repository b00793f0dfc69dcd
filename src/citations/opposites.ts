/** Words of which one denies the other, so that "closed" is the same as "not open". */
const PAIRS: readonly (readonly [string, string])[] = [
  ['open opens opened', 'closed closes shut'],
  ['allowed allow allows permitted permit permits', 'forbidden forbid forbids prohibited prohibits banned disallowed'],
  ['possible', 'impossible'],
  ['valid', 'invalid'],
  ['legal', 'illegal'],
  ['complete', 'incomplete'],
  ['correct', 'incorrect'],
  ['active', 'inactive'],
  ['included includes', 'excluded excludes'],
  ['required mandatory compulsory obligatory', 'optional voluntary'],
  ['same', 'different'],
  ['present', 'absent'],
  ['offen geöffnet', 'geschlossen'],
  ['erlaubt gestattet zulässig', 'verboten untersagt unzulässig'],
  ['inbegriffen enthalten', 'ausgeschlossen'],
  ['ouvert ouverte ouverts ouvertes', 'fermé fermée fermés fermées'],
  ['autorisé autorisée autorisés permis permise', 'interdit interdite interdits interdites'],
  ['abierto abierta abiertos', 'cerrado cerrada cerrados'],
  ['permitido permitida permitidos', 'prohibido prohibida prohibidos'],
  ['aperto aperta aperti', 'chiuso chiusa chiusi'],
  ['permesso permessa', 'vietato vietata vietati'],
];

const OPPOSITES: ReadonlyMap<string, readonly string[]> = new Map(
  PAIRS.flatMap(([one, other]) => {
    const [these, those] = [one.split(' '), other.split(' ')];
    return [...these.map((word) => [word, those] as const), ...those.map((word) => [word, these] as const)];
  }),
);

/** Shorter words after "un" are mostly others: "union". */
const MIN_AFTER_PREFIX = 5;
const NEGATIVE_PREFIX = /^(?:un|non)(?=\p{L})/u;

/** Words that deny this one. */
export function oppositesOf(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const positive = lower.replace(NEGATIVE_PREFIX, '');
  const prefixed = lower.length < MIN_AFTER_PREFIX ? [] : [`un${lower}`, `non${lower}`];
  const bare = positive !== lower && positive.length >= MIN_AFTER_PREFIX ? [positive] : [];
  return [...(OPPOSITES.get(lower) ?? []), ...prefixed, ...bare];
}
