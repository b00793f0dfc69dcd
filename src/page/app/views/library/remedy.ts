import { RequestFailure } from '../../api/request.ts';

/** What helps after a failed ingestion: another attempt, other settings of the service first, or only another file. */
export type Remedy = 'retry' | 'settings' | 'file';

/** Refusals of an upload that only another file changes, by error code. The others may pass. */
const REFUSALS: Readonly<Record<string, Remedy>> = {
  invalid_request: 'file',
  too_large: 'file',
  unsupported_type: 'file',
  not_configured: 'settings',
  forbidden: 'settings',
};

/** What helps after an upload that the service refused. */
export function remedyOfRefusal(error: unknown): Remedy {
  if (!(error instanceof RequestFailure)) return 'retry';
  if (error.unread === 'picture' || error.unread === 'recording') return 'settings';
  return REFUSALS[error.code] ?? 'retry';
}

/** Whether to offer another attempt. The remedies of failures recorded by earlier versions are unknown. */
export const canRetry = (remedy: Remedy | null | undefined): boolean => remedy !== 'file';
