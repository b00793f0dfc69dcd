import { messageOf } from '../api/request.ts';
import { texts } from '../texts.ts';

/** What went wrong, in the server's words, and a button that tries again where that makes sense. */
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
