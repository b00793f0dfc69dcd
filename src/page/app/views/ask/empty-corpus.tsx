import { useRef, useState } from 'preact/hooks';
import { messageOf, send } from '../../api/request.ts';
import { announce } from '../../shell/announcements.tsx';
import { texts } from '../../texts.ts';

interface Upload {
  readonly name: string;
  readonly state: 'waiting' | 'sending' | 'done' | { readonly failure: string };
}

/** Shown while the corpus is empty: ingests dropped files, or two samples. */
export function EmptyCorpus({ onReady }: { readonly onReady: (questions: readonly string[]) => void }) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const isBusy = uploads.some(({ state }) => state === 'waiting' || state === 'sending');

  const upload = async (files: readonly File[], questions: readonly string[] = []): Promise<void> => {
    if (files.length === 0 || isBusy) return;
    const states: Upload[] = files.map(({ name }) => ({ name, state: 'waiting' }));
    const show = (index: number, state: Upload['state']) => {
      states[index] = { name: files[index]?.name ?? '', state };
      setUploads([...states]);
    };
    for (const [index, file] of files.entries()) {
      show(index, 'sending');
      try {
        const body = new FormData();
        body.append('file', file);
        await send('/v3/documents', { method: 'POST', body });
        show(index, 'done');
      } catch (error) {
        show(index, { failure: messageOf(error) });
      }
    }
    if (!states.some(({ state }) => state === 'done')) return;
    announce(texts.ask.empty.ready);
    if (states.every(({ state }) => state === 'done')) onReady(questions);
  };

  const uploadSamples = async (): Promise<void> => {
    const { samples, sampleQuestions } = await import('./samples.ts');
    await upload(
      samples.map(({ name, text }) => new File([text], name, { type: 'text/markdown' })),
      sampleQuestions,
    );
  };

  return (
    <section
      class={isOver ? 'drop over' : 'drop'}
      aria-label={texts.ask.empty.heading}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void upload([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <h2>{texts.ask.empty.heading}</h2>
      <p>{texts.ask.empty.text}</p>
      <div class="drop-actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => input.current?.click()}>
          {texts.ask.empty.choose}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void uploadSamples()}>
          {texts.ask.empty.samples}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={(event) => void upload([...(event.currentTarget.files ?? [])])}
        />
      </div>
      {uploads.length > 0 && (
        <ul class="first-uploads">
          {uploads.map(({ name, state }) => (
            <li key={name}>
              <span class="upload-name">{name}</span>
              <span class={typeof state === 'object' ? 'problem' : 'notice'}>
                {typeof state === 'object' ? state.failure : texts.ask.empty[state]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
