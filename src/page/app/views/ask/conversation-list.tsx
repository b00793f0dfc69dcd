import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure } from '../../parts/failure.tsx';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';
import { ConversationRow } from './conversation-row.tsx';
import { useConversations } from './use-conversations.ts';

const list = texts.ask.conversations;

interface ListProps {
  readonly current: string;
  /** First question of the current conversation, which is named with its first answer. */
  readonly question: string;
}

/** Maximum number of conversations in the DOM, and by how many the shown range moves on scrolling. */
const MAX_SHOWN = 150;
const STEP = 50;

/** Earlier conversations, newest first; loads more on scrolling or searching. */
export function ConversationList({ current, question }: ListProps) {
  const [wanted, setWanted] = useState('');
  const [from, setFrom] = useState(0);
  const found = useConversations(wanted);
  const shown = found.items.slice(from, from + MAX_SHOWN);
  const isEnd = from + shown.length >= found.items.length;
  return (
    <nav class="conversations" aria-label={list.title}>
      <button type="button" class="new" onClick={() => navigate('/')}>
        {list.new}
      </button>
      <input
        type="search"
        value={wanted}
        placeholder={list.find}
        aria-label={list.find}
        onInput={(event) => {
          setFrom(0);
          setWanted(event.currentTarget.value);
        }}
      />
      {found.error !== undefined && <Failure error={found.error} retry={found.reload} />}
      {from > 0 && (
        <More key={`before-${from}`} label={list.newer} onReached={() => setFrom(Math.max(0, from - STEP))} />
      )}
      <ul>
        {shown.map((conversation) => (
          <ConversationRow
            key={conversation.id}
            conversation={conversation}
            fallback={conversation.id === current && question !== '' ? question : list.untitled}
            isCurrent={conversation.id === current}
            onRenamed={(name) => found.rename(conversation.id, name)}
            onRemoved={() => {
              found.remove(conversation.id);
              if (conversation.id === current) navigate('/');
            }}
          />
        ))}
      </ul>
      {found.state === 'complete' && found.error === undefined && found.items.length === 0 && (
        <p class="notice">{wanted.trim() === '' ? list.none : list.noMatch}</p>
      )}
      {found.state === 'reading' && (
        <p class="notice" role="status">
          {wanted.trim() === '' || found.total === 0 ? texts.loading : list.searched(found.read, found.total)}
        </p>
      )}
      {(!isEnd || found.state === 'more') && (
        <More
          key={`after-${from}-${shown.length}`}
          label={list.more}
          onReached={() => {
            if (shown.length === MAX_SHOWN) setFrom(from + STEP);
            if (isEnd) found.more();
          }}
        />
      )}
    </nav>
  );
}

/** Loads more when scrolled into view or clicked. */
function More({ label, onReached }: { readonly label: string; readonly onReached: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const reached = useRef(onReached);
  reached.current = onReached;
  useEffect(() => {
    if (button.current === null) return;
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) reached.current();
    });
    watcher.observe(button.current);
    return () => watcher.disconnect();
  }, []);
  return (
    <button ref={button} type="button" onClick={onReached}>
      {label}
    </button>
  );
}
