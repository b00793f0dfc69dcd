import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SourceFormProps {
  readonly submit: (entered: FormData) => Promise<void>;
  readonly failure: string | undefined;
  readonly action: string;
  /** If the last attempt failed a check that can be skipped: what to call doing so, and when to do it. */
  readonly skip?: { readonly action: string; readonly hint: string } | undefined;
  readonly children: ComponentChildren;
}

const SKIP = 'skip_check';

/** Whether a form was submitted by the button that skips the check of the server. */
export const skipsCheck = (entered: FormData): boolean => entered.has(SKIP);

/** A form with a submit button, and the reason if the last attempt failed. */
export function SourceForm({ submit, failure, action, skip, children }: SourceFormProps) {
  const [isBusy, setBusy] = useState(false);
  const alert = useRef<HTMLDivElement>(null);
  // In a long form, the message may be outside the visible part.
  useEffect(() => alert.current?.scrollIntoView({ block: 'center' }), [failure]);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        const entered = new FormData(event.currentTarget, event.submitter);
        setBusy(true);
        void submit(entered).finally(() => setBusy(false));
      }}
    >
      {children}
      {failure !== undefined && (
        <div ref={alert} class="failure" role="alert">
          <p>{failure}</p>
          {skip !== undefined && <p>{skip.hint}</p>}
        </div>
      )}
      <div class="form-actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {action}
        </button>
        {/* Enter in a field presses the first submit button of a form, so this one comes second. */}
        {skip !== undefined && (
          <button type="submit" name={SKIP} disabled={isBusy}>
            {skip.action}
          </button>
        )}
      </div>
    </form>
  );
}
