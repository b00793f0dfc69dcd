/** Description of the member `resumable`, an addition for streams. */
export const RESUMABLE =
  'The run continues to its end without readers, and can be read again by the id in the header X-Run-Id.';
