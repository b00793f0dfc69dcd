import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonOrUndefined } from '../../shared/text.ts';
import { readBytes, refusal, secondsOf } from '../http-answers.ts';

const MAX_ANSWER = 100_000;
/** Default wait without `Retry-After`; Google's quotas are per minute. */
const WAIT_S = 15;

const errorSchema = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string().default('') })).default([]),
    status: z.string().optional(),
  }),
});

const LIMITS = new Set(['userRateLimitExceeded', 'rateLimitExceeded', 'sharingRateLimitExceeded', 'quotaExceeded']);
const OFF = new Set(['accessNotConfigured', 'SERVICE_DISABLED', 'insufficientPermissions']);

/** Maps an error response; status 403 has many possible reasons. Text sent by the server is not included. */
export async function driveFailure(response: Response, tokens: { forget(): void }): Promise<ServiceError> {
  const { status } = response;
  if (status === 401) tokens.forget();
  if (status !== 403) return refusal(response, 'Google Drive', { whole: false });
  const retryAfter = secondsOf(response.headers.get('retry-after')) ?? WAIT_S;
  const text = await readBytes(response, MAX_ANSWER).catch(() => new Uint8Array());
  const { data } = errorSchema.safeParse(jsonOrUndefined(new TextDecoder().decode(text)));
  const reason = data?.error.errors[0]?.reason ?? '';
  if (LIMITS.has(reason)) {
    return new ServiceError('rate_limited', `Google Drive asks to wait (${reason}).`, { retryAfter });
  }
  if (OFF.has(reason)) {
    return new ServiceError(
      'unauthenticated',
      reason === 'insufficientPermissions'
        ? 'The credentials are without the scope drive.readonly. Get new ones that have it.'
        : 'The interface of Google Drive is off in the project of the credentials. Enable "Google Drive API" there.',
    );
  }
  switch (reason) {
    case 'dailyLimitExceeded':
      return new ServiceError('rate_limited', 'The project’s requests to Google Drive of this day are used up.', {
        retryAfter: 3600,
      });
    case 'exportSizeLimitExceeded':
      return new ServiceError(
        'too_large',
        'Google exports at most 10 MB of a document, and it is larger. Divide it, or keep it as a file of Office or PDF.',
      );
    case 'cannotExportFile':
    case 'cannotDownloadFile':
    case 'fileNotDownloadable':
    case 'downloadRestricted':
      return new ServiceError('forbidden', 'Its owner permits no download.');
    case 'cannotDownloadAbusiveFile':
      return new ServiceError('invalid_request', 'Google took it for malware or spam and gives it to its owner alone.');
    default:
      return new ServiceError(
        'forbidden',
        `Access refused: Google Drive answered with 403${/^\w{1,60}$/.test(reason) ? ` (${reason})` : ''}.`,
      );
  }
}
