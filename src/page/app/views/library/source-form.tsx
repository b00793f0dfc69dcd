import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SourceFormProps {
  readonly submit: (form: HTMLFormElement) => Promise<void>;
  readonly failure: string | undefined;
  readonly action: string;
  readonly children: ComponentChildren;
}

/** A form with a button, and why the last attempt failed. */
export function SourceForm({ submit, failure, action, children }: SourceFormProps) {
  const [isBusy, setBusy] = useState(false);
  const alert = useRef<HTMLParagraphElement>(null);
  // A long form would hide it below its edge.
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
