import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { failureRemedy, ReaderEnded } from '../../src/ingest/failure-kind.ts';
import { ProviderError } from '../../src/models/provider-error.ts';

it.each([
  ['a damaged file', new ServiceError('invalid_request', 'It is damaged.'), 'file'],
  ['a file too large to read', new ServiceError('too_large', 'Split it.'), 'file'],
  ['a picture no decoder reads', new ServiceError('unsupported_type', 'No.', { unread: 'undecodable' }), 'file'],
  [
    'a scan, if no reader of pictures is set',
    new ServiceError('invalid_request', 'No.', { unread: 'picture' }),
    'settings',
  ],
  ['a refused key of a provider', new ProviderError('provider_failed', 'No.', 'other_provider'), 'settings'],
  ['a rejected request to a provider', new ProviderError('invalid_request', 'No.', 'none'), 'settings'],
  ['a busy provider', new ProviderError('rate_limited', 'Later.', 'retry'), 'retry'],
  ['a reader that crashed', new ReaderEnded('a.pdf', 'it crashed'), 'retry'],
  ['a busy store', new ServiceError('store_failed', 'Later.'), 'retry'],
  ['an unexpected error', new TypeError('x is undefined'), 'retry'],
] as const)('after %s, what helps is known', (_, error, remedy) => {
  expect(failureRemedy(error)).toBe(remedy);
});
