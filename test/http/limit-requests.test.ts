import { expect, it } from 'vitest';
import { routeOf } from '../../src/http/limit-requests.ts';

it('counts variants of the spelling of a path as one route', () => {
  const id = '6C1F3A52-9E1B-4D55-8A1C-0123456789AB';
  expect(routeOf('DELETE', `/v3/Documents/${id}//`)).toBe('DELETE /v3/documents/:id');
});

it('finds the route of a path of many slashes in linear time', () => {
  // In quadratic time, it would take far longer than a test may.
  expect(routeOf('POST', `/v3${'/'.repeat(500_000)}x`)).toMatch(/x$/);
});
