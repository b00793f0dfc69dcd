import { ServiceError } from '../../../errors.ts';
import { createTextBuilder } from '../build-text.ts';
import { decodeText } from '../encoding/decode-text.ts';
import type { Reader } from '../reader.ts';

/** Calendars: each meeting or task is a section with time, place and participants. */
export const calendarReader: Reader = {
  async read({ bytes, fileName }) {
    const decoded = decodeText(bytes);
    if (decoded === undefined || !/^BEGIN:VCALENDAR/im.test(decoded.text))
      throw new ServiceError('invalid_request', `${fileName} is not a calendar.`);
    const entries = readEntries(decoded.text);
    const builder = createTextBuilder();
    for (const entry of entries) {
      builder.add('heading', first(entry, 'SUMMARY') ?? 'Entry', { level: 1 });
      builder.add('list', factsOf(entry).join('\n'));
      builder.add('paragraph', first(entry, 'DESCRIPTION') ?? '');
    }
    const [only] = entries;
    const title = entries.length === 1 && only !== undefined ? first(only, 'SUMMARY') : undefined;
    return { ...builder.finish(), ...(title !== undefined && { title }), metadata: { entry_count: entries.length } };
  },
};

interface Property {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

type Entry = readonly Property[];

const KINDS = new Set(['VEVENT', 'VTODO', 'VJOURNAL']);

function readEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  let open: Property[] | undefined;
  // Alarms and other components are nested in an entry and have properties of the same names.
  let depth = 0;
  for (const line of text.replaceAll(/\n[ \t]/g, '').split('\n')) {
    const [, name = '', parameters = '', value = ''] =
      /^([A-Za-z-]{1,60})((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)$/.exec(line.slice(0, 100_000)) ?? [];
    const upper = name.toUpperCase();
    if (upper === 'BEGIN' && open !== undefined) depth++;
    else if (upper === 'BEGIN' && KINDS.has(value.trim().toUpperCase())) open = [];
    else if (upper === 'END' && depth > 0) depth--;
    else if (upper === 'END' && open !== undefined) {
      entries.push(open);
      open = undefined;
    } else if (name !== '' && depth === 0) open?.push({ name: upper, parameters, value: unescaped(value) });
  }
  if (open !== undefined) entries.push(open);
  return entries;
}

const unescaped = (value: string): string =>
  value.replaceAll(/\\([\\;,nN])/g, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark)).trim();

const first = (entry: Entry, name: string): string | undefined =>
  entry.find((property) => property.name === name && property.value !== '')?.value;

function factsOf(entry: Entry): string[] {
  const fact = (label: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [`- ${label}: ${value}`];
  const time = (name: string) => {
    const found = entry.find((property) => property.name === name);
    return found === undefined ? undefined : timeOf(found);
  };
  return [
    ...fact('Begins', time('DTSTART')),
    ...fact('Ends', time('DTEND')),
    ...fact('Due', time('DUE')),
    ...fact('Duration', first(entry, 'DURATION')),
    ...fact('Repeats', first(entry, 'RRULE')),
    ...fact('Place', first(entry, 'LOCATION')),
    ...fact('Organiser', people(entry, 'ORGANIZER')),
    ...fact('Invited', people(entry, 'ATTENDEE')),
    ...fact('Status', first(entry, 'STATUS')),
  ];
}

const people = (entry: Entry, name: string): string =>
  entry
    .filter((property) => property.name === name)
    .map(({ parameters, value }) => {
      const address = value.replace(/^mailto:/i, '');
      const called = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(parameters);
      const shown = called?.[1] ?? called?.[2] ?? '';
      return shown === '' || shown === address ? address : `${shown} <${address}>`;
    })
    .join(', ');

/** `20240131T090000Z` as `2024-01-31 09:00 UTC`; with its time zone name when it has one. */
function timeOf({ parameters, value }: Property): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z?))?/.exec(value) ?? [];
  if (year === undefined) return value;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  const zone = utc === 'Z' ? 'UTC' : /;TZID=([^;:]{1,60})/i.exec(parameters)?.[1];
  return `${date} ${hour}:${minute}${zone === undefined ? '' : ` ${zone}`}`;
}
