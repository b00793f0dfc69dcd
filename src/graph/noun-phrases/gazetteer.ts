import { cities } from './word-lists.ts';

/** Countries in the supported languages, and cities that name time zones; in lower case. */
export type Gazetteer = ReadonlyMap<string, 'country' | 'other'>;

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'el', 'pl', 'sv', 'zh', 'ja', 'ko', 'th'];
const REGION = /^[A-Z]{2}$/;
// Time zones whose last part is not a city.
const NOT_A_CITY = new Set([
  'center',
  'knox',
  'easter',
  'gmt',
  'utc',
  'universal',
  'zulu',
  'reunion',
  'chatham',
  'mayotte',
]);
const MORE_PLACES = `england scotland wales europe asia africa america oceania antarctica usa uk california texas florida virginia
  massachusetts pennsylvania bavaria bayern sachsen saxony hessen brittany bretagne normandy normandie provence catalonia
  cataluña andalusia andalucía tuscany toscana sicily scandinavia siberia crete hokkaido kyushu ontario alps alpen alpes
  holland prussia england's europa afrika asien amerika bohemia flanders lapland patagonia`;

/** Place names in lower case. Built once per extractor, in a few milliseconds. */
export function loadGazetteer(): Gazetteer {
  const names = new Map<string, 'country' | 'other'>();
  for (const name of [...cities, ...MORE_PLACES.split(/\s+/)]) names.set(name, 'other');
  for (const language of LANGUAGES) {
    const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const code of regionCodes()) {
      const name = regions.of(code);
      if (name !== undefined && !REGION.test(name)) names.set(name.toLowerCase(), 'country');
    }
  }
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const city = zone.split('/').at(-1)?.replaceAll('_', ' ').toLowerCase();
    if (zone.includes('/') && city !== undefined && !NOT_A_CITY.has(city) && !names.has(city)) names.set(city, 'other');
  }
  return names;
}

function* regionCodes(): Generator<string> {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  // Codes from XA on are not countries, except Kosovo.
  for (const first of letters)
    for (const second of letters) if (first !== 'X' && first !== 'Q' && first !== 'Z') yield first + second;
  yield* ['QA', 'XK', 'ZA', 'ZM', 'ZW'];
}
