import type { Json } from '../documents/document.ts';
import type { Entity } from './graph.ts';
import { nameWords, normalForm, normalTerm } from './normal-form.ts';

/** Decides which entities are identical. */
export interface EntityMerger {
  /** Equal for names of the same entity. */
  keyOf(name: string, category: string | null): string;
}

/**
 * Entities are identical when their names have the same normal form (see `normalForm`), when a text declares one name
 * as an alias of the other and no other entity claims it, or when one is `J. Smith` and only one person matches.
 * Entities of different categories are distinct; one without a category joins the predominant category.
 */
export function createMerger(entities: readonly Entity[]): EntityMerger {
  const categories = categoriesByForm(entities);
  const aliases = declaredForms(entities, categories);
  const initials = initialForms(categories);
  const mergeKey = (form: string, category: string | null): string => {
    const known = categories.get(form);
    const kind = category ?? (known && majorityCategory(known)) ?? '';
    return `${form}\n${kind}`;
  };
  return {
    keyOf(name, category) {
      const form = formOf(name, category);
      const declared = aliases.get(form);
      if (declared !== undefined && agree(category, categories.get(declared))) return mergeKey(declared, null);
      const whole = initials.get(form);
      if (whole !== undefined && (category === null || category === 'person')) return mergeKey(whole, 'person');
      return mergeKey(form, category);
    },
  };
}

/** Aliases of an entity declared in its texts. */
export function aliasesOf({ metadata }: Pick<Entity, 'metadata'>): string[] {
  const aliases: Json | undefined = metadata['aliases'];
  return Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === 'string') : [];
}

// Terms are reduced to the singular; names keep a final s.
const formOf = (name: string, category: string | null): string =>
  category === 'concept' || !/\p{Lu}/u.test(name) ? normalTerm(name) : normalForm(name);

/** Categories of a normal form, each with its number of mentions. */
type Categories = ReadonlyMap<string, number>;

function categoriesByForm(entities: readonly Entity[]): Map<string, Map<string, number>> {
  const categories = new Map<string, Map<string, number>>();
  for (const { name, category, mentions } of entities) {
    const form = formOf(name, category);
    const known = categories.get(form) ?? new Map<string, number>();
    categories.set(form, known);
    if (category !== null) known.set(category, (known.get(category) ?? 0) + Math.max(1, mentions.length));
  }
  return categories;
}

const MIN_MAJORITY = 0.8;

/** The category of nearly all mentions that have one. */
function majorityCategory(known: Categories): string | undefined {
  const all = [...known.values()].reduce((sum, count) => sum + count, 0);
  return [...known].find(([, count]) => count >= all * MIN_MAJORITY)?.[0];
}

const agree = (category: string | null, known: Categories | undefined): boolean =>
  known !== undefined && known.size <= 1 && (category === null || known.size === 0 || known.has(category));

/**
 * Declared aliases such as acronyms. A bare last name in one document means nothing in another, so it is not included.
 */
function declaredForms(entities: readonly Entity[], categories: ReadonlyMap<string, Categories>): Map<string, string> {
  const claimed = new Map<string, Set<string>>();
  for (const entity of entities) {
    const own = formOf(entity.name, entity.category);
    for (const alias of aliasesOf(entity)) {
      const form = formOf(alias, entity.category);
      if (form === own || !(isAcronym(alias) || form.includes(' '))) continue;
      claimed.set(form, (claimed.get(form) ?? new Set<string>()).add(own));
    }
  }
  const forms = new Map<string, string>();
  for (const [form, owners] of claimed) {
    const [owner] = owners;
    // An alias that is itself the name of an entity with aliases would form a chain, so it stays separate.
    if (owner !== undefined && owners.size === 1 && !claimed.has(owner) && (categories.get(form)?.size ?? 0) <= 1) {
      forms.set(form, owner);
    }
  }
  return forms;
}

const isAcronym = (name: string): boolean =>
  /^(?:\p{Lu}[\p{Lu}\p{Ll}\d]{1,7}|(?:\p{Lu}\.){2,})$/u.test(name) && /\p{Lu}.*\p{Lu}/u.test(name);

/** `j smith` → `john smith`, where the initials match only one person. */
function initialForms(categories: ReadonlyMap<string, Categories>): Map<string, string> {
  const byInitials = new Map<string, Set<string>>();
  const people = [...categories].filter(([, known]) => known.size === 1 && known.has('person')).map(([form]) => form);
  for (const form of people) {
    const words = nameWords(form);
    const last = words.at(-1);
    if (words.length < 2 || last === undefined || words.slice(0, -1).some((word) => word.length === 1)) continue;
    const given = words.slice(0, -1).map((word) => word.charAt(0));
    for (const short of new Set([[...given, last].join(' '), `${given[0]} ${last}`])) {
      byInitials.set(short, (byInitials.get(short) ?? new Set<string>()).add(form));
    }
  }
  return new Map(
    [...byInitials].flatMap(([short, forms]): [string, string][] => {
      const [only] = forms;
      return only !== undefined && forms.size === 1 ? [[short, only]] : [];
    }),
  );
}
