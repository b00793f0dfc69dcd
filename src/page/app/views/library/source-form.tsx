import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SourceFormProps {
  readonly submit: (form: HTMLFormElement) => Promise<void>;
  readonly failure: string | undefined;
  readonly action: string;
  readonly children: ComponentChildren;
}

/** A form with a submit button, and the reason if the last attempt failed. */
export function SourceForm({ submit, failure, action, children }: SourceFormProps) {
  const [isBusy, setBusy] = useState(false);
  const alert = useRef<HTMLParagraphElement>(null);
  // In a long form, the message may be outside the visible part.
  useEffect(() => alert.current?.scrollIntoView({ block: 'center' }), [failure]);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        setBusy(true);
        void submit(event.currentTarget).finally(() => setBusy(false));
      }}
    >
      {children}
      {failure !== undefined && (
        <p ref={alert} class="failure" role="alert">
          {failure}
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {action}
      </button>
    </form>
  );
}
