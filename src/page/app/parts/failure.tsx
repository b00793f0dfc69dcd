import { messageOf } from '../api/request.ts';
import { texts } from '../texts.ts';

/** An error message, with a retry button if `retry` is given. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{messageOf(error)}</p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          {texts.retry}
        </button>
      )}
    </div>
  );
}
