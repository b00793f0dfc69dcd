import { z } from 'zod';
import { readTime, TIME_EXAMPLES } from '../../documents/timestamp.ts';
import { ServiceError } from '../../errors.ts';
import { invalidField } from '../check-shape.ts';
import type { CsvValue } from '../csv.ts';
import type { ExportColumns } from './export-columns.ts';
import { optional, snakeCased } from './tolerant.ts';

/** The body of every CSV export, docs/contract.md 6.3. */
export const exportRequest = snakeCased(
  z.object({
    columns: optional(z.array(z.string()).max(100)),
    filters: optional(z.record(z.string(), z.unknown())),
    include_header: optional(z.boolean()),
  }),
).meta({ id: 'ExportRequest' });

export type ExportRequest = z.output<typeof exportRequest>;

type Getter<Row> = (row: Row) => CsvValue;

/** A parsed export: the columns and the rows to write. */
export interface ExportPlan<Row> {
  readonly names: readonly string[];
  readonly includesHeader: boolean;
  values(row: Row): CsvValue[];
  includes(row: Row): boolean;
}

/** Throws `invalid_field` for unknown columns, `invalid_request` for operators that exports do not support. */
export function planExport<Row>(columns: ExportColumns<Row>, request: ExportRequest): ExportPlan<Row> {
  const names = request.columns === undefined || request.columns.length === 0 ? Object.keys(columns) : request.columns;
  const getters = names.map((name, index) => {
    const getter = getterOf(columns, name);
    if (getter !== undefined) return getter;
    const known = Object.keys(columns).join(', ');
    throw invalidField('enum', ['body', 'columns', index], `"${name}" is not a column; known: ${known}.`, name);
  });
  const conditions = Object.entries(request.filters ?? {}).flatMap(([name, wire]) => {
    const getter = getterOf(columns, name);
    // The contract ignores filters on unknown fields.
    return getter === undefined ? [] : readConditions(name, wire, getter);
  });
  return {
    names,
    includesHeader: request.include_header ?? true,
    values: (row) => getters.map((getter) => getter(row)),
    includes: (row) => conditions.every((condition) => condition(row)),
  };
}

const getterOf = <Row>(columns: ExportColumns<Row>, name: string): Getter<Row> | undefined =>
  Object.hasOwn(columns, name) ? columns[name] : undefined;

function readConditions<Row>(name: string, wire: unknown, getter: Getter<Row>): ((row: Row) => boolean)[] {
  const isOperators = typeof wire === 'object' && wire !== null && !Array.isArray(wire);
  const conditions = isOperators ? Object.entries(wire) : [['$eq', wire] as const];
  return conditions.map(([operator, operand]) => {
    const compare = comparisons[operator];
    if (compare !== undefined) {
      const wanted = name === 'created_at' || name === 'updated_at' ? timeOf(name, operator, operand) : operand;
      return (row) => compare(orderOf(getter(row), wanted));
    }
    throw new ServiceError(
      'invalid_request',
      `"${operator}" on "${name}" is not possible in an export; use $eq, $gt or $lt.`,
    );
  });
}

function timeOf(name: string, operator: string, operand: unknown): string | null {
  const time = operand === null ? null : typeof operand === 'string' ? readTime(operand) : undefined;
  if (time !== undefined) return time;
  throw new ServiceError('invalid_request', `"${operator}" on "${name}" compares with ${TIME_EXAMPLES}.`);
}

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  $eq: (order) => order === 0,
  $gt: (order) => order > 0,
  $lt: (order) => order < 0,
};

/** Compares like a sort comparator; NaN, for which every condition is false, if the values are not comparable. */
function orderOf(value: CsvValue, operand: unknown): number {
  if (value === null || operand === null) return value === operand ? 0 : Number.NaN;
  if (typeof value === 'number' || typeof value === 'boolean') return Number(value) - asNumber(operand);
  const [one, other] = [textOf(value), textOf(operand)];
  return one === other ? 0 : one < other ? -1 : 1;
}

function asNumber(operand: unknown): number {
  if (operand === 'true' || operand === 'false') return Number(operand === 'true');
  return typeof operand === 'string' && operand.trim() === '' ? Number.NaN : Number(operand);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
