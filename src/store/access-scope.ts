import type { Filter, Scalar } from '../documents/filter.ts';
import { locateField } from '../documents/filter-field.ts';
import { withIdOperands } from '../documents/matches-filter.ts';

/** Owner and collections of a chunk's document. An index may store it with the vector. */
export interface AccessScope {
  readonly owner: string;
  readonly collections: readonly string[];
}

/** Records of one of these owners, or in one of these collections. */
export interface ScopeCondition {
  readonly owners: readonly string[];
  readonly collections: readonly string[];
}

/** Conditions that are necessary for a chunk to pass the filter, but may not be sufficient. */
export function scopeConditionsOf(filter: Filter): readonly ScopeCondition[] {
  switch (filter.kind) {
    case 'and':
      return filter.filters.flatMap(scopeConditionsOf);
    case 'or':
      return eitherOf(filter.filters.map(scopeConditionsOf));
    case 'all':
    case 'none':
      return [];
    default:
      return ofCondition(filter);
  }
}

/** One condition that covers all alternatives; none if an alternative has no condition. */
function eitherOf(alternatives: readonly (readonly ScopeCondition[])[]): readonly ScopeCondition[] {
  const narrowest = alternatives.flatMap((conditions) => conditions[0] ?? []);
  if (narrowest.length === 0 || narrowest.length < alternatives.length) return [];
  return [
    {
      owners: narrowest.flatMap(({ owners }) => owners),
      collections: narrowest.flatMap(({ collections }) => collections),
    },
  ];
}

type Condition = Parameters<typeof withIdOperands>[0];

function ofCondition(given: Condition): readonly ScopeCondition[] {
  const location = locateField(given.field, 'chunk');
  const isOwner = location.kind === 'record' && location.field === 'owner_id';
  if (!isOwner && location.kind !== 'collections') return [];
  const condition = withIdOperands(given);
  const conditionOf = (values: readonly Scalar[]): ScopeCondition => {
    const ids = values.filter((value) => typeof value === 'string');
    return isOwner ? { owners: ids, collections: [] } : { owners: [], collections: ids };
  };
  switch (condition.kind) {
    case 'compare':
      return condition.op === 'eq' ? [conditionOf([condition.value])] : [];
    case 'in':
    case 'overlap':
      return [conditionOf(condition.values)];
    case 'contains':
    case 'exactly':
      return condition.values.map((value) => conditionOf([value]));
    default:
      return [];
  }
}
