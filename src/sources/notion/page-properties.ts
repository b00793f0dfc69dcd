import type { PageObjectResponse } from '@notionhq/client';

type Property = PageObjectResponse['properties'][string];

const MAX_VALUE = 2_000;

/** The title of a page as a single line; undefined if it has none. */
export function titleOf({ properties }: PageObjectResponse): string | undefined {
  const title = Object.values(properties).find(({ type }) => type === 'title');
  return (title && oneLine(textOf(title))) || undefined;
}

/** The properties of a database row other than its title, as `name: value`. */
export const propertyLines = ({ properties }: PageObjectResponse): readonly string[] =>
  Object.entries(properties).flatMap(([name, property]) => {
    const value = property.type === 'title' ? '' : oneLine(textOf(property));
    return value === '' ? [] : [`${oneLine(name)}: ${value}`];
  });

function textOf(property: Property): string {
  switch (property.type) {
    case 'title':
      return property.title.map((part) => part.plain_text).join('');
    case 'rich_text':
      return property.rich_text.map((part) => part.plain_text).join('');
    case 'select':
      return property.select?.name ?? '';
    case 'status':
      return property.status?.name ?? '';
    case 'multi_select':
      return property.multi_select.map(({ name }) => name).join(', ');
    case 'number':
      return property.number === null ? '' : String(property.number);
    case 'checkbox':
      return property.checkbox ? 'yes' : 'no';
    case 'url':
      return property.url ?? '';
    case 'email':
      return property.email ?? '';
    case 'phone_number':
      return property.phone_number ?? '';
    case 'date':
      return property.date === null ? '' : [property.date.start, property.date.end].filter(Boolean).join(' to ');
    case 'people':
      return property.people.flatMap((person) => ('name' in person && person.name) || []).join(', ');
    case 'files':
      return property.files.map(({ name }) => name).join(', ');
    case 'formula':
      return formulaOf(property.formula);
    case 'unique_id':
      return [property.unique_id.prefix, property.unique_id.number].filter((part) => part !== null).join('-');
    default:
      // Ignored: references to other pages, and who created or edited the page and when.
      return '';
  }
}

function formulaOf(formula: Extract<Property, { type: 'formula' }>['formula']): string {
  switch (formula.type) {
    case 'string':
      return formula.string ?? '';
    case 'number':
      return formula.number === null ? '' : String(formula.number);
    case 'boolean':
      return formula.boolean === null ? '' : formula.boolean ? 'yes' : 'no';
    case 'date':
      return formula.date?.start ?? '';
    default:
      return '';
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_VALUE);
