/**
 * Units by their names and signs, with their dimension and size, so that 60 minutes are an hour, but not 60 days. The French
 * "an" is missing, because it is an English article.
 */
const UNITS: readonly (readonly [dimension: string, size: number, names: string])[] = [
  ['time', 1, 'second seconds sec secs Sekunde Sekunden seconde secondes segundo segundos secondo secondi'],
  ['time', 60, 'minute minutes min mins Minute Minuten minuto minutos minuti'],
  ['time', 3_600, 'hour hours hrs hr h Stunde Stunden Std heure heures hora horas ora ore'],
  ['time', 86_400, 'day days Tag Tage Tagen jour jours día días giorno giorni dag dagen'],
  ['time', 604_800, 'week weeks Woche Wochen semaine semaines semana semanas settimana settimane weken'],
  ['month', 1, 'month months Monat Monate Monaten mois mes meses mese mesi maand maanden'],
  ['month', 12, 'year years Jahr Jahre Jahren ans année années año años anno anni jaar'],
  ['euro', 1, 'euro euros EUR €'],
  ['dollar', 1, 'dollar dollars USD $'],
  ['pound', 1, 'pound pounds GBP £'],
  ['crown', 1, 'crown crowns krone kroner krona kronor kronen kr NOK SEK DKK'],
  ['franc', 1, 'franc francs Franken CHF'],
  ['percent', 1, 'percent Prozent % percentage'],
  ['length', 1, 'mm millimetre millimetres millimeter millimeters'],
  ['length', 10, 'cm centimetre centimetres centimeter centimeters Zentimeter'],
  ['length', 1_000, 'm metre metres meter meters Meter Metern mètre mètres metro metros metri'],
  ['length', 1_000_000, 'km kilometre kilometres kilometer kilometers Kilometer kilomètres'],
  ['mass', 1, 'g gram grams Gramm grammes'],
  ['mass', 1_000, 'kg kilo kilos kilogram kilograms Kilogramm'],
  ['mass', 1_000_000, 't tonne tonnes ton tons Tonne Tonnen'],
  ['volume', 0.001, 'µl μl microlitre microlitres microliter microliters'],
  ['volume', 1, 'ml millilitre millilitres milliliter milliliters'],
  ['volume', 1_000, 'l litre litres liter liters Liter'],
  ['degree', 1, '° °C °F degree degrees Grad'],
];

export interface Measure {
  readonly dimension: string;
  readonly size: number;
  /** All its names, in lower case. */
  readonly names: readonly string[];
}

const MEASURES: ReadonlyMap<string, Measure> = new Map(
  UNITS.flatMap(([dimension, size, given]) => {
    const names = given.toLowerCase().split(' ');
    return names.map((name) => [name, { dimension, size, names }] as const);
  }),
);

/** The unit of measure with this name. */
export const measureNamed = (word: string): Measure | undefined =>
  MEASURES.get(word.toLowerCase().replace(/['’]$/, ''));
