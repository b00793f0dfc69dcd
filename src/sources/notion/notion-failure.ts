import { ServiceError } from '../../errors.ts';

/** Maps an error of Notion's client to a ServiceError. Text sent by the server is not included. */
export function asNotionFailure(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const { code, status, headers } = error as { code?: unknown; status?: unknown; headers?: unknown };
  const cause = { cause: error };
  switch (code) {
    case 'unauthorized':
      return new ServiceError('unauthenticated', 'Notion does not accept the token. Give a new one.', cause);
    case 'restricted_resource':
      return new ServiceError('forbidden', 'The integration may not read content; change its capabilities.', cause);
    case 'object_not_found':
      return new ServiceError('not_found', 'The page is no longer there, or not shared with the integration.', cause);
    case 'rate_limited': {
      const after = headers instanceof Headers ? Number(headers.get('retry-after')) : 0;
      return new ServiceError('rate_limited', 'Notion asks to wait.', { ...cause, retryAfter: after || 30 });
    }
    case 'notionhq_client_request_timeout':
      return new ServiceError('timeout', 'Notion did not answer in time.', cause);
    default:
      // Not an error of the API, for example an abort reason: passed on unchanged.
      return code === undefined
        ? error
        : new ServiceError('provider_failed', `Notion answered with an error (${String(status ?? code)}).`, cause);
  }
}
