import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { focusView } from '../router.ts';
import { texts } from '../texts.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog: its first field has the focus, which the browser traps and restores; Escape closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // The browser focuses the first control, which is the button that closes the dialog.
    dialog.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    const restore = (): void => {
      if (document.activeElement !== document.body) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      else focusView();
    };
    // The browser restores the focus when a dialog is closed, but not when it is removed, which happens after this
    // cleanup.
    return () => setTimeout(restore);
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" class="quiet" aria-label={texts.close} onClick={() => dialog.current?.close()}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}
