/** Solves a linear system by Gaussian elimination with partial pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const size = right.length;
  const rows = matrix.map((row, index) => [...row, right[index] ?? 0]);
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let pivot = 0; pivot < size; pivot += 1) {
    let best = pivot;
    for (let row = pivot + 1; row < size; row += 1)
      if (Math.abs(at(row, pivot)) > Math.abs(at(best, pivot))) best = row;
    [rows[pivot], rows[best]] = [rows[best] ?? [], rows[pivot] ?? []];
    for (let row = pivot + 1; row < size; row += 1) {
      const factor = at(row, pivot) / at(pivot, pivot);
      const target = rows[row] ?? [];
      for (let column = pivot; column <= size; column += 1)
        target[column] = at(row, column) - factor * at(pivot, column);
    }
  }
  const solution = Array.from({ length: size }, () => 0);
  for (let row = size - 1; row >= 0; row -= 1) {
    let rest = at(row, size);
    for (let column = row + 1; column < size; column += 1) rest -= at(row, column) * (solution[column] ?? 0);
    solution[row] = rest / at(row, row);
  }
  return solution;
}

/** A concave objective at some weights: its value, gradient and curvature (the negative of the second derivative). */
export interface Objective {
  value: number;
  readonly gradient: number[];
  readonly curvature: number[][];
}

const MAX_STEPS = 40;
const CONVERGED = 1e-7;

/** Maximises the objective minus the penalty Σ `ridge`/2 · weight² by Newton's method; returns the weights. */
export function maximise(
  size: number,
  ridge: readonly number[],
  evaluate: (weights: readonly number[], into: Objective) => void,
): number[] {
  const at = (weights: readonly number[]): Objective => {
    const zeros = () => Array.from({ length: size }, () => 0);
    const objective = { value: 0, gradient: zeros(), curvature: Array.from({ length: size }, zeros) };
    evaluate(weights, objective);
    for (const [index, weight] of weights.entries()) {
      const penalty = ridge[index] ?? 0;
      objective.value -= (penalty / 2) * weight * weight;
      objective.gradient[index] = (objective.gradient[index] ?? 0) - penalty * weight;
      const row = objective.curvature[index] ?? [];
      row[index] = (row[index] ?? 0) + penalty;
    }
    return objective;
  };
  let weights: number[] = Array.from({ length: size }, () => 0);
  let current = at(weights);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const direction = solve(current.curvature, current.gradient);
    let length = 1;
    let next = current;
    let moved = weights;
    do {
      moved = weights.map((weight, index) => weight + length * (direction[index] ?? 0));
      next = at(moved);
      length /= 2;
    } while (!(next.value > current.value) && length > 1e-6);
    if (!(next.value - current.value > CONVERGED * Math.abs(current.value))) break;
    [weights, current] = [moved, next];
  }
  return weights;
}

/** Adds `factor` times the outer product of the vector with itself. */
export function addOuter(curvature: number[][], vector: readonly number[], factor: number): void {
  for (let row = 0; row < vector.length; row += 1) {
    const target = curvature[row] ?? [];
    const scaled = factor * (vector[row] ?? 0);
    if (scaled === 0) continue;
    for (let column = 0; column < vector.length; column += 1)
      target[column] = (target[column] ?? 0) + scaled * (vector[column] ?? 0);
  }
}

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
