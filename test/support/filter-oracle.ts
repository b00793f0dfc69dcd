/** A document, or a chunk with its document, in the oracle's form. */
export interface OracleRecord {
  readonly documentId: string;
  readonly ownerId: string;
  readonly title: string;
  readonly type: string;
  readonly collectionIds: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The chunk's own metadata; empty for a document. */
  readonly own: Readonly<Record<string, unknown>>;
}

type Wire = Readonly<Record<string, unknown>>;

/**
 * An independent oracle for filters (docs/contract.md 4.2), evaluated directly on the JSON, one record at a time. It
 * shares no code with the product, so that agreement does not repeat the same mistake.
 */
export function fits(wire: Wire, record: OracleRecord): boolean {
  for (const [key, condition] of Object.entries(wire)) {
    const isTrue =
      key === '$and'
        ? (condition as Wire[]).every((each) => fits(each, record))
        : key === '$or'
          ? (condition as Wire[]).some((each) => fits(each, record))
          : fieldFits(key, condition, record);
    if (!isTrue) return false;
  }
  return true;
}

function fieldFits(name: string, condition: unknown, record: OracleRecord): boolean {
  const isSet = name === 'collection_ids' || name === 'collection_id';
  if (typeof condition !== 'object' || condition === null || Array.isArray(condition)) {
    const operator = isSet && Array.isArray(condition) ? '$in' : '$eq';
    return fieldFits(name, { [operator]: condition }, record);
  }
  return Object.entries(condition as Wire).every(([operator, operand]) => {
    if (isSet) return setFits(name === 'collection_id', operator, operand, record.collectionIds);
    // Identifiers are compared as strings, whatever the type of the operand.
    const isId = name === 'document_id' || name === 'owner_id';
    return valueFits(operator, isId ? asText(operand) : operand, lookUp(name, record));
  });
}

function asText(operand: unknown): unknown {
  if (Array.isArray(operand)) return operand.map(asText);
  return typeof operand === 'number' || typeof operand === 'boolean' ? String(operand) : operand;
}

function setFits(isSingle: boolean, operator: string, operand: unknown, ids: readonly string[]): boolean {
  const wanted = Array.isArray(operand) ? operand : [operand];
  const has = (id: unknown) => ids.includes(String(id).toLowerCase());
  const isExactly = wanted.every(has) && ids.every((id) => wanted.some((each) => String(each).toLowerCase() === id));
  switch (operator) {
    case '$eq':
      return isSingle ? wanted.every(has) : isExactly;
    case '$ne':
      return isSingle ? !wanted.some(has) : !isExactly;
    case '$in':
    case '$overlap':
      return wanted.some(has);
    case '$nin':
      return !wanted.some(has);
    case '$contains':
      return wanted.every(has);
    default:
      throw new Error(`The oracle does not know ${operator} on collections.`);
  }
}

function lookUp(name: string, record: OracleRecord): unknown {
  const { documentId, ownerId, title, type, own, metadata } = record;
  if (name === 'document_id') return documentId;
  if (name === 'owner_id') return ownerId;
  const path = (name.startsWith('metadata.') ? name.slice('metadata.'.length) : name).split('.');
  const [first = ''] = path;
  const along = (from: unknown) =>
    path.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).includes(key)
          ? (value as Wire)[key]
          : undefined,
      from,
    );
  if (Object.keys(own).includes(first)) return along(own);
  if (path.length === 1 && first === 'title') return title;
  if (path.length === 1 && first === 'document_type') return type;
  return along(metadata);
}

function valueFits(operator: string, operand: unknown, value: unknown): boolean {
  const isAbsent = value === undefined || value === null;
  const elements = Array.isArray(value) ? value : undefined;
  const holds = (wanted: unknown) => elements?.some((element) => same(element, wanted)) ?? false;
  switch (operator) {
    case '$eq':
      if (operand === null) return isAbsent;
      if (!Array.isArray(operand)) return same(value, operand);
      return (
        elements !== undefined &&
        operand.every(holds) &&
        elements.every((element) => operand.some((wanted) => same(element, wanted)))
      );
    case '$ne':
    case '$neq':
      return !valueFits('$eq', operand, value);
    case '$gt':
      return order(value, operand) > 0;
    case '$gte':
      return order(value, operand) >= 0;
    case '$lt':
      return order(value, operand) < 0;
    case '$lte':
      return order(value, operand) <= 0;
    case '$in':
      return (operand as unknown[]).some((wanted) =>
        wanted === null ? isAbsent : same(value, wanted) || holds(wanted),
      );
    case '$nin':
      return !valueFits('$in', operand, value);
    case '$like':
    case '$ilike':
      return typeof value === 'string' && toPattern(String(operand), operator === '$ilike').test(value);
    case '$overlap':
      return (operand as unknown[]).some(holds);
    case '$contains':
      return (operand as unknown[]).every(holds);
    case '$json_contains':
      return !isAbsent && covers(value, operand, true);
    default:
      throw new Error(`The oracle does not know ${operator}.`);
  }
}

const same = (value: unknown, operand: unknown): boolean => order(value, operand) === 0;

/** NaN, which compares false with everything, for a value that cannot be converted to the operand's type. */
function order(value: unknown, operand: unknown): number {
  if (typeof operand === 'number') {
    if (typeof value === 'number') return value - operand;
    if (typeof value !== 'string') return Number.NaN;
    try {
      const read: unknown = JSON.parse(value);
      return typeof read === 'number' ? read - operand : Number.NaN;
    } catch {
      return Number.NaN;
    }
  }
  if (typeof operand === 'boolean') {
    const truth = String(value);
    const isTruth = (typeof value === 'boolean' || typeof value === 'string') && /^(true|false)$/.test(truth);
    return isTruth ? Number(truth === 'true') - Number(operand) : Number.NaN;
  }
  if (!['string', 'number', 'boolean'].includes(typeof value)) return Number.NaN;
  return Buffer.compare(Buffer.from(String(value)), Buffer.from(String(operand)));
}

const toPattern = (like: string, ignoresCase: boolean): RegExp =>
  new RegExp(
    `^${[...like].map((each) => (each === '%' ? '.*' : each === '_' ? '.' : each.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'))).join('')}$`,
    ignoresCase ? 'sui' : 'su',
  );

/** PostgreSQL's `@>`. */
function covers(value: unknown, wanted: unknown, isTop: boolean): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((each) => value.some((element) => covers(element, each, false)));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.entries(wanted).every(
      ([key, each]) => Object.keys(value).includes(key) && covers((value as Wire)[key], each, false),
    );
  }
  if (Array.isArray(value)) return isTop && value.includes(wanted);
  return value === wanted;
}
