/** Predicates with the inflected forms of the verbs that express them. */
const SENSES: readonly (readonly [string, string])[] = [
  ['founded', 'founded co-founded cofounded establish establishes established create creates created'],
  ['acquired', 'acquire acquires acquired buy buys bought purchase purchases purchased'],
  ['wrote', 'write writes wrote written author authored co-wrote penned'],
  ['published', 'publish publishes published'],
  ['led', 'lead leads led head heads headed chair chairs chaired'],
  ['won', 'win wins won receive receives received'],
  ['married', 'marry marries married'],
  ['discovered', 'discover discovers discovered'],
  ['invented', 'invent invents invented'],
  ['developed', 'develop develops developed'],
  ['designed', 'design designs designed'],
  ['built', 'build builds built construct constructs constructed'],
  ['produces', 'produce produces produced manufacture manufactures manufactured make makes made'],
  ['owns', 'own owns owned'],
  ['operates', 'operate operates operated run runs ran'],
  ['directed', 'direct directs directed'],
  ['composed', 'compose composes composed'],
  ['painted', 'paint paints painted'],
  ['joined', 'join joins joined'],
  ['succeeded', 'succeed succeeds succeeded replace replaces replaced'],
  ['causes', 'cause causes caused'],
  ['contains', 'contain contains contained include includes included'],
  ['supplies', 'supply supplies supplied'],
  ['teaches', 'teach teaches taught'],
  ['visited', 'visit visits visited'],
  ['launched', 'launch launches launched'],
  ['signed', 'sign signs signed'],
  ['uses', 'use uses used'],
  ['supports', 'support supports supported'],
  ['defeated', 'defeat defeats defeated beat beats'],
  ['named', 'name names named'],
  ['released', 'release releases released'],
];

const PREPOSITIONAL: readonly (readonly [string, RegExp])[] = [
  ['born_in', /^born (?:in|at|near)$/],
  ['died_in', /^(?:die|died|dies) (?:in|at|near)$/],
  ['works_for', /^(?:work|works|worked|working|employed) (?:for|at|by)$|^serves? (?:at|with)$/],
  ['located_in', /^(?:located|situated|based|headquartered|lies?|lay|stands?|stood) (?:in|at|on|near)$/],
  ['part_of', /^(?:belongs?|belonged) to$|^part of$|^member of$/],
  ['studied_at', /^(?:study|studied|studies|graduated?|educated|trained) (?:at|from)$/],
  ['lives_in', /^(?:live|lives|lived|settled|grew) (?:in|at)$/],
  ['moved_to', /^(?:move|moves|moved|emigrated|travell?ed|returned|went|fled) to$/],
  ['taught_at', /^(?:teach|teaches|taught|lectured) (?:at|in)$/],
  ['collaborated_with', /^(?:collaborated?|worked|works|partnered|cooperated?) with$/],
  ['merged_with', /^(?:merged?|merges) with$/],
  ['married', /^married to$/],
  ['operates_in', /^(?:operates?|operated|run|runs|sails?|sailed|flies|flew) (?:in|between|from|to)$/],
  ['founded_in', /^(?:founded|established|created|set) (?:in|on)$/],
  ['published_in', /^published in$/],
  ['built_in', /^(?:built|constructed|completed|opened) (?:in|on)$/],
  ['invested_in', /^(?:invest|invested|invests) in$/],
  ['consists_of', /^(?:consists?|consisted|composed|made) of$/],
];

const senseOf = new Map(
  SENSES.flatMap(([predicate, verbs]) => verbs.split(' ').map((verb) => [verb, predicate] as const)),
);

const known: ReadonlySet<string> = new Set([
  'is_a',
  'capital_of',
  ...senseOf.values(),
  ...PREPOSITIONAL.map(([predicate]) => predicate),
]);

/** The predicate for a verb, active or passive with `by`; its subject is the agent. */
export const predicateOfVerb = (verb: string): string => senseOf.get(verb) ?? plain(verb);

/** A predicate for a verb and its preposition. */
export function predicateWith(verb: string, preposition: string): string {
  const phrase = `${verb} ${preposition}`;
  return (
    PREPOSITIONAL.find(([, pattern]) => pattern.test(phrase))?.[0] ??
    `${senseOf.get(verb) ?? plain(verb)}_${preposition}`
  );
}

/** Whether a predicate is predefined rather than formed from the words of a sentence. */
export const isKnownPredicate = (predicate: string): boolean => known.has(predicate);

const plain = (verb: string): string => verb.replaceAll(/[^\p{L}\p{N}]+/gu, '_');

/** Nouns for offices: `X, the president of Y` works for Y. */
export const offices = new Set(
  (
    'president chairman chairwoman chair ceo chief executive director manager founder co-founder professor engineer secretary ' +
    'spokesman spokeswoman spokesperson head minister chancellor editor dean rector captain skipper curator scientist ' +
    'researcher officer treasurer leader partner architect lecturer member keeper mate mayor'
  ).split(' '),
);

interface ForeignPattern {
  readonly between: RegExp;
  readonly predicate: string;
  /** Pattern that must follow the second mention. */
  readonly behind?: RegExp;
  /** The second mention is the agent. */
  readonly isReversed?: boolean;
}

const PASSIVE_DE = /(?:wurde|ist) (?:.{0,30} )?(?:von|vom|durch)(?: .{0,30})?$/;

/** Patterns for the words between two names in other languages, and for German also after the second. */
export const foreignPatterns: Readonly<Record<string, readonly ForeignPattern[]>> = {
  de: [
    { between: /(?:wurde|ist|war) (?:.{0,24} )?in$/, behind: /^geboren/, predicate: 'born_in' },
    { between: /(?:gründete|begründete)(?: .{0,30})?$/, predicate: 'founded' },
    { between: PASSIVE_DE, behind: /gegründet/, predicate: 'founded', isReversed: true },
    { between: PASSIVE_DE, behind: /übernommen|gekauft|erworben/, predicate: 'acquired', isReversed: true },
    { between: PASSIVE_DE, behind: /geschrieben|verfasst/, predicate: 'wrote', isReversed: true },
    { between: PASSIVE_DE, behind: /entdeckt/, predicate: 'discovered', isReversed: true },
    { between: PASSIVE_DE, behind: /entworfen/, predicate: 'designed', isReversed: true },
    { between: PASSIVE_DE, behind: /gebaut|erbaut|errichtet/, predicate: 'built', isReversed: true },
    { between: PASSIVE_DE, behind: /komponiert/, predicate: 'composed', isReversed: true },
    { between: PASSIVE_DE, behind: /gemalt/, predicate: 'painted', isReversed: true },
    { between: PASSIVE_DE, behind: /erfunden/, predicate: 'invented', isReversed: true },
    { between: PASSIVE_DE, behind: /entwickelt/, predicate: 'developed', isReversed: true },
    { between: PASSIVE_DE, behind: /veröffentlicht|herausgegeben/, predicate: 'published', isReversed: true },
    { between: PASSIVE_DE, behind: /besiegt|geschlagen/, predicate: 'defeated', isReversed: true },
    { between: /(?:übernahm|erwarb|kaufte)(?: .{0,30})?$/, predicate: 'acquired' },
    { between: /(?:schrieb|verfasste)(?: .{0,30})?$/, predicate: 'wrote' },
    { between: /(?:liegt|befindet sich|steht) (?:.{0,30} )?(?:in|an|am|im|bei)$/, predicate: 'located_in' },
    {
      between: /(?:gehört zu|gehört zur|gehört zum|ist teil von|ist ein teil von)(?: .{0,12})?$/,
      predicate: 'part_of',
    },
    { between: /(?:arbeitet|arbeitete) .{0,30}(?:für|bei|an der|am)$/, predicate: 'works_for' },
    { between: /(?:studierte|promovierte) .{0,30}(?:an der|in|am)$/, predicate: 'studied_at' },
    { between: /(?:entdeckte|entdeckten)(?: .{0,30})?$/, predicate: 'discovered' },
    { between: /^mit (?:haupt)?sitz in$|^mit sitz in$/, predicate: 'located_in' },
  ],
  fr: [
    { between: /^,? ?(?:est |fut )?(?:née?|naquit) (?:le .{0,24} |en \d{4} )?(?:à|en|au)$/, predicate: 'born_in' },
    { between: /(?:a été|fut|est) (?:fondée?|créée?) .{0,20}par$/, predicate: 'founded', isReversed: true },
    { between: /(?:a fondé|fonda|fonde|a créé|créa)(?: .{0,30})?$/, predicate: 'founded' },
    { between: /(?:a racheté|racheta|a acquis|acquit|rachète)(?: .{0,30})?$/, predicate: 'acquired' },
    { between: /(?:a écrit|écrivit|écrit|a publié|publia)(?: .{0,30})?$/, predicate: 'wrote' },
    {
      between: /(?:se trouve|est située?|est basée?|situées?|siège) (?:.{0,20} )?(?:à|en|au|dans|sur)(?: l[ae'’]?)?$/,
      predicate: 'located_in',
    },
    { between: /(?:fait partie|membre) d(?:e|u|es|e la|e l['’])?$/, predicate: 'part_of' },
    { between: /(?:travaill(?:e|ait|a)|a travaillé) (?:pour|chez|à|au)(?: l[ae'’]?)?$/, predicate: 'works_for' },
    { between: /(?:a découvert|découvrit|découvre)(?: .{0,30})?$/, predicate: 'discovered' },
    { between: /(?:étudia|a étudié|étudie) .{0,20}(?:à|en|au)(?: l[ae'’]?)?$/, predicate: 'studied_at' },
  ],
  es: [
    { between: /^,? ?(?:nació|nacid[oa]) (?:el .{0,24} |en \d{4} )?en$/, predicate: 'born_in' },
    { between: /(?:fue|es) (?:fundad[oa]|cread[oa]) .{0,20}por$/, predicate: 'founded', isReversed: true },
    { between: /(?:fundó|creó|funda)(?: .{0,30})?$/, predicate: 'founded' },
    { between: /(?:compró|adquirió|compra)(?: .{0,30})?$/, predicate: 'acquired' },
    { between: /(?:escribió|escribe|publicó)(?: .{0,30})?$/, predicate: 'wrote' },
    {
      between:
        /(?:está (?:situad[oa]|ubicad[oa])|se encuentra|situad[oa]|ubicad[oa]|con sede) (?:.{0,20} )?(?:en|a)(?: (?:el|la))?$/,
      predicate: 'located_in',
    },
    { between: /(?:forma parte|miembro) de(?:l| la)?$/, predicate: 'part_of' },
    { between: /(?:trabaj(?:a|ó|aba)) (?:para|en)(?: (?:el|la))?$/, predicate: 'works_for' },
    { between: /(?:descubrió|descubre)(?: .{0,30})?$/, predicate: 'discovered' },
    { between: /(?:estudió|estudia) .{0,20}en(?: (?:el|la))?$/, predicate: 'studied_at' },
  ],
};
