/** A category or predicate for comparison: lower case, with spaces for hyphens and underscores. */
export const foldLabel = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim();

/** The labels that a restriction allows, folded; undefined if there is no restriction. */
export const foldLabels = (labels: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  labels === undefined || labels.length === 0 ? undefined : new Set(labels.map(foldLabel));
