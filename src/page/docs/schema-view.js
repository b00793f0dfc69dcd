import { element, inline, unfolding } from './elements.js';

/** A schema: type and constraints, with its members in a collapsed section. */
export function schemaView(schema, description) {
  return element('div', { className: 'schema' }, body(schema, description));
}

/** Resolves a reference on demand, because schemas may be recursive. */
export function resolve(part, description) {
  if (part?.$ref === undefined) return part ?? {};
  const steps = part.$ref.split('/').slice(1);
  return steps.reduce((within, step) => within?.[step], description) ?? {};
}

const referred = (schema) => schema?.$ref?.split('/').at(-1);

function body(schema, description) {
  const known = resolve(schema, description);
  const parts = alternatives(known);
  if (parts.length === 1) return body(parts[0], description);
  if (parts.length > 1) {
    return parts.map((part, place) => member(`${place + 1} of ${parts.length}`, part, description, false));
  }
  if (known.type === 'array' || known.items) return member('each', known.items ?? {}, description, false);
  const required = new Set(known.required);
  const members = Object.entries(known.properties ?? {}).map(([name, each]) =>
    member(name, each, description, required.has(name)),
  );
  const { additionalProperties: others } = known;
  if (typeof others === 'object' && Object.keys(others).length > 0) {
    members.push(member('any name', others, description, false));
  }
  return members.length > 0 ? members : element('div', { className: 'quiet' }, kindOf(schema, description));
}

function member(name, schema, description, isRequired) {
  const known = resolve(schema, description);
  const line = [
    element('code', {}, name),
    isRequired ? element('span', { className: 'bad', title: 'required' }, '*') : '',
    ' ',
    element('span', { className: 'quiet' }, kindOf(schema, description)),
  ];
  const note = schema.description ?? known.description;
  const about = note === undefined ? [] : [element('div', { className: 'quiet' }, inline(note))];
  const isDeep = hasMembers(known, description);
  if (!isDeep) return element('div', { className: 'member' }, line, about);
  return unfolding({ className: 'member' }, line, () => [...about, schemaView(schema, description)]);
}

/** The alternatives without null. */
const alternatives = (schema) =>
  (schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []).filter(({ type }) => type !== 'null');

function hasMembers(schema, description, depth = 0) {
  if (schema.properties !== undefined) return true;
  if (depth > 3) return false;
  const below = [...alternatives(schema), ...(schema.items ? [schema.items] : [])];
  return below.some((each) => hasMembers(resolve(each, description), description, depth + 1));
}

/** `string (uuid), null`, `array of Chunk`, `"rag" or "research"`. */
export function kindOf(schema, description) {
  if (schema === undefined) return 'anything';
  const name = referred(schema);
  if (name !== undefined) return name;
  const union = schema.anyOf ?? schema.oneOf;
  if (union !== undefined) {
    const kinds = [...new Set(union.map((each) => kindOf(each, description)))];
    return kinds.length > 4 ? `one of ${kinds.length} kinds` : kinds.join(' or ');
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' or ');
  if (schema.type === 'array') return `array of ${kindOf(schema.items, description)}`;
  const kind = [schema.type ?? 'anything'].flat().join(' or ');
  return [kind, ...limitsOf(schema)].join(', ');
}

function limitsOf(schema) {
  const words = {
    format: (value) => value,
    minimum: (value) => `at least ${value}`,
    exclusiveMinimum: (value) => `more than ${value}`,
    maximum: (value) => `at most ${value}`,
    minLength: (value) => `at least ${value} long`,
    maxLength: (value) => `at most ${value} long`,
    default: (value) => `default ${JSON.stringify(value)}`,
  };
  return Object.entries(words).flatMap(([key, say]) => (schema[key] === undefined ? [] : [String(say(schema[key]))]));
}
