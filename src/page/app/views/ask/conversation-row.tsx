import { useRef, useState } from 'preact/hooks';
import { call } from '../../api/request.ts';
import { useAttempt } from '../../parts/use-attempt.ts';
import { announce } from '../../shell/announcements.tsx';
import { Link } from '../../shell/link.tsx';
import { texts } from '../../texts.ts';
import { tellOtherTabs } from './conversation-changes.ts';
import type { Conversation } from './use-conversations.ts';

const list = texts.ask.conversations;

interface RowProps {
  readonly conversation: Conversation;
  /** Shown while the conversation has no name. */
  readonly fallback: string;
  readonly isCurrent: boolean;
  readonly onRenamed: (name: string) => void;
  readonly onRemoved: () => void;
}

/** A conversation in the list: opened by its name, renamed and deleted inline. */
export function ConversationRow({ conversation, fallback, isCurrent, onRenamed, onRemoved }: RowProps) {
  const [mode, setMode] = useState<'shown' | 'renaming' | 'removing'>('shown');
  const { failure, attempt } = useAttempt();
  const name = conversation.name ?? fallback;
  const row = useRef<HTMLLIElement>(null);
  const cancel = (): void => {
    setMode('shown');
    requestAnimationFrame(() => row.current?.querySelector('summary')?.focus());
  };
  const address = `/v3/conversations/${conversation.id}`;
  const change = (work: () => Promise<void>, done: string): Promise<void> =>
    attempt(async () => {
      await work();
      tellOtherTabs(conversation.id);
      setMode('shown');
      announce(done);
    });
  return (
    <li
      ref={row}
      class={isCurrent ? 'current' : undefined}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && mode !== 'shown') cancel();
      }}
    >
      {mode === 'renaming' ? (
        <form
          class="rename"
          onSubmit={(event) => {
            event.preventDefault();
            const written = String(new FormData(event.currentTarget).get('name') ?? '').trim();
            if (written === '') return;
            void change(async () => {
              await call(address, { method: 'POST', body: { name: written } });
              onRenamed(written);
              cancel();
            }, list.renamed);
          }}
        >
          <input name="name" aria-label={list.name} value={name} maxLength={1000} ref={(box) => box?.focus()} />
          <button type="submit">{list.save}</button>
          <button type="button" onClick={cancel}>
            {list.cancel}
          </button>
        </form>
      ) : (
        <>
          <Link href={`/?conversation=${conversation.id}`} aria-current={isCurrent ? 'page' : undefined} title={name}>
            {name}
          </Link>
          <details class="row-actions">
            <summary aria-label={list.actions(name)}>⋯</summary>
            <div>
              <button type="button" onClick={() => setMode('renaming')}>
                {list.rename}
              </button>
              <button type="button" onClick={() => setMode('removing')}>
                {list.remove}
              </button>
            </div>
          </details>
        </>
      )}
      {mode === 'removing' && (
        <div class="confirm" role="alertdialog" aria-label={list.remove}>
          <p>{list.sure(name)}</p>
          <button
            type="button"
            class="danger"
            onClick={() =>
              void change(async () => {
                await call(address, { method: 'DELETE' });
                row.current?.closest('nav')?.querySelector('button')?.focus();
                onRemoved();
              }, list.removed)
            }
          >
            {list.remove}
          </button>
          <button type="button" ref={(button) => button?.focus()} onClick={cancel}>
            {list.cancel}
          </button>
        </div>
      )}
      {failure !== undefined && (
        <p class="problem" role="alert">
          {failure}
        </p>
      )}
    </li>
  );
}
