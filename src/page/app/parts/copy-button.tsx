import { useState } from 'preact/hooks';
import { announce } from '../shell/announcements.tsx';
import { texts } from '../texts.ts';

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label = texts.copy }: { readonly text: string; readonly label?: string }) {
  const [outcome, setOutcome] = useState<string>();
  const copy = async () => {
    const outcomeText = await navigator.clipboard.writeText(text).then(
      () => texts.copied,
      () => texts.copyFailed,
    );
    setOutcome(outcomeText);
    announce(outcomeText);
    setTimeout(() => setOutcome(undefined), 2_500);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {outcome ?? label}
    </button>
  );
}
