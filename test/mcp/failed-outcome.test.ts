import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { toFailedOutcome } from '../../src/mcp/failed-outcome.ts';

it.each([
  [new ServiceError('not_configured', 'The data folder /x cannot be used.'), 'not_configured', 'Tell the user'],
  [new ServiceError('conflict', 'The data folder is in use.'), 'backend_unavailable', 'Try once more'],
  [new ServiceError('store_failed', 'The store ended.'), 'backend_unavailable', 'Try once more'],
  [new Error('Oops.'), 'internal', 'Go on without it'],
])('a failed call says what to do next: %s', (error, code, next) => {
  const outcome = toFailedOutcome(error, 'administrator');
  expect(outcome).toMatchObject({ isError: true, code, text: expect.stringContaining(`Next step: ${next}`) });
});

it('tells a member only what is meant for members', () => {
  const error = new ServiceError('provider_failed', 'Nothing at http://10.0.0.5.', { memberMessage: 'It is down.' });
  expect(toFailedOutcome(error, 'administrator')).toMatchObject({ text: expect.stringContaining('10.0.0.5') });
  expect(toFailedOutcome(error, 'member')).toMatchObject({ text: expect.stringContaining('It is down. Next step') });
});
