import { addOuter, dot, maximise } from './newton.ts';

/** The candidate sentences of one question, some of which are right. */
export interface Choice {
  readonly candidates: readonly (readonly number[])[];
  readonly isRight: readonly boolean[];
}

/** Probability below which a candidate is ignored in the curvature. */
const NEGLIGIBLE = 1e-5;

/** Conditional logit: fits weights that make the right candidates of each question the most probable ones. */
export function fitChoices(choices: readonly Choice[], ridge: number): number[] {
  const size = choices[0]?.candidates[0]?.length ?? 0;
  return maximise(
    size,
    Array.from({ length: size }, () => ridge),
    (weights, into) => {
      for (const { candidates, isRight } of choices) {
        const scores = candidates.map((features) => dot(features, weights));
        const max = Math.max(...scores);
        const odds = scores.map((score) => Math.exp(score - max));
        const total = odds.reduce((sum, each) => sum + each, 0);
        const right = odds.reduce((sum, each, index) => sum + (isRight[index] ? each : 0), 0);
        into.value += Math.log(right / total);
        const mean = weights.map(() => 0);
        for (const [index, features] of candidates.entries()) {
          const chance = (odds[index] ?? 0) / total;
          const credit = isRight[index] ? (odds[index] ?? 0) / right : 0;
          for (const [place, value] of features.entries()) {
            mean[place] = (mean[place] ?? 0) + chance * value;
            into.gradient[place] = (into.gradient[place] ?? 0) + (credit - chance) * value;
          }
        }
        for (const [index, features] of candidates.entries()) {
          const chance = (odds[index] ?? 0) / total;
          if (chance < NEGLIGIBLE) continue;
          addOuter(
            into.curvature,
            features.map((value, place) => value - (mean[place] ?? 0)),
            chance,
          );
        }
      }
    },
  );
}

export interface Example {
  readonly features: readonly number[];
  readonly isTrue: boolean;
}

/** Logistic regression. The first feature is the constant, which is not penalised; penalties scale with variance. */
export function fitLogistic(examples: readonly Example[], ridge: number): number[] {
  const size = examples[0]?.features.length ?? 0;
  const deviations = Array.from({ length: size }, (_, place) => {
    const values = examples.map(({ features }) => features[place] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  });
  // A constant feature carries no information; a tiny penalty keeps the system solvable.
  const penalties = deviations.map((deviation, place) => (place === 0 ? 1e-6 : ridge * Math.max(deviation ** 2, 1e-6)));
  return maximise(size, penalties, (weights, into) => {
    for (const { features, isTrue } of examples) {
      const score = dot(features, weights);
      const chance = 1 / (1 + Math.exp(-score));
      into.value -= Math.log1p(Math.exp(isTrue ? -score : score));
      for (const [place, value] of features.entries())
        into.gradient[place] = (into.gradient[place] ?? 0) + (Number(isTrue) - chance) * value;
      addOuter(into.curvature, features, chance * (1 - chance));
    }
  });
}
