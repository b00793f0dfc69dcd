import { ServiceError } from '../../errors.ts';

interface MailError {
  readonly message?: string;
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly serverResponseCode?: string;
  readonly responseStatus?: string;
}

/** Response codes (RFC 5530) of transient refusals. */
const PASSING: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'INUSE',
  'LIMIT',
  'SERVERBUG',
  'CONTACTADMIN',
  'OVERQUOTA',
]);
const LIMITS: ReadonlySet<string> = new Set(['LiteralTooLarge', 'ResponseTooLarge', 'LineTooLarge', 'TooManyTokens']);

/** Maps an error of the mail client to a ServiceError. Text sent by the server is not included. */
export function asMailFailure(error: unknown, host: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const { message = '', code = '', authenticationFailed, serverResponseCode = '' } = error as MailError;
  const cause = { cause: error };
  if (authenticationFailed === true && !PASSING.has(serverResponseCode)) {
    return new ServiceError(
      'unauthenticated',
      `${host} refuses the name or the password. Many providers want an app password, or IMAP switched on first.`,
      cause,
    );
  }
  if (code === 'ETHROTTLE' || serverResponseCode === 'LIMIT') {
    return new ServiceError('rate_limited', `${host} asks to wait.`, { ...cause, retryAfter: 60 });
  }
  if (LIMITS.has(code)) return new ServiceError('too_large', `${host} sent more at once than is read.`, cause);
  if (/CERT|SELF_SIGNED|ISSUER|ERR_TLS/.test(code) || /certificate/i.test(message)) {
    return new ServiceError(
      'provider_failed',
      `The certificate of ${host} is not accepted (${code || 'TLS'}). For one of your own authority, name its file in NODE_EXTRA_CA_CERTS.`,
      cause,
    );
  }
  const isLate = /TIMEOUT/i.test(code);
  return new ServiceError(
    isLate ? 'timeout' : 'provider_failed',
    isLate ? `${host} did not answer in time.` : `${host} is not reached or ended the connection (${code || 'IMAP'}).`,
    cause,
  );
}
