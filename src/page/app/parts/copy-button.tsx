import { useState } from 'preact/hooks';
import { announce } from '../shell/announcements.tsx';
import { texts } from '../texts.ts';

interface CopyButtonProps {
  readonly text: string | (() => string);
  readonly label?: string;
  /** Whether it has no border. */
  readonly isQuiet?: boolean;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = texts.copy, isQuiet = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string>();
  const copy = async () => {
    const outcomeText = await write(typeof text === 'string' ? text : text()).then(
      () => texts.copied,
      () => texts.copyFailed,
    );
    setOutcome(outcomeText);
    announce(outcomeText);
    setTimeout(() => setOutcome(undefined), 2_500);
  };
  return (
    <button type="button" class={isQuiet ? 'quiet' : undefined} onClick={() => void copy()}>
      {outcome ?? label}
    </button>
  );
}

async function write(text: string): Promise<void> {
  // Missing at addresses that are neither https nor of this machine.
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  let isCopied = false;
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    isCopied = true;
  };
  document.addEventListener('copy', give);
  document.execCommand('copy');
  document.removeEventListener('copy', give);
  if (!isCopied) throw new Error('The browser did not copy the text.');
}
