import './ask.css';
import './composer.css';
import './answer.css';
import './answer-blocks.css';
import './conversations.css';
import './source-beside.css';
import './empty-corpus.css';
import '../library/uploads.css';
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isGone } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { Failure } from '../../parts/failure.tsx';
import { route, setQuery } from '../../router.ts';
import { Link } from '../../shell/link.tsx';
import { session } from '../../shell/session.tsx';
import { texts } from '../../texts.ts';
import { UploadList } from '../library/upload-list.tsx';
import { type AskParameters, readAskParameters } from './ask-parameters.ts';
import { Composer, QUESTION_ID } from './composer.tsx';
import { whenChangedElsewhere } from './conversation-changes.ts';
import { ConversationList } from './conversation-list.tsx';
import { EmptyCorpus } from './empty-corpus.tsx';
import { opened } from './selection.ts';
import { loadServiceFacts } from './service-facts.ts';
import { SourceBeside } from './source-beside.tsx';
import { leaveSourceEntry } from './source-history.ts';
import { ask, openConversation, refreshConversation } from './thread.ts';
import { QuoteTip } from './tip.tsx';
import { TurnView } from './turn-view.tsx';
import { clearThread, isOpen, type Thread, thread } from './turns.ts';
import { useCitationKeys } from './use-citation-keys.ts';

/** The question being written, which stays while other views or the sign-in are shown. */
const draft = signal('');

/** The Ask view: composer, answers with citations, and earlier conversations. */
export function AskView() {
  const at = readAskParameters(route.value.query);
  const { turns, load, conversation } = thread.value;
  const setDraft = (text: string): void => {
    draft.value = text;
  };
  const [notice, setNotice] = useState<string>();
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const [hasFailedUploads, setFailedUploads] = useState(false);
  const facts = useResource(loadServiceFacts, []);
  useAddress(at, setDraft, setNotice);
  useCitationKeys();
  useNewestTurn(load);
  useOtherTabs();

  const start = (question: string, replacing?: string): void => {
    setNotice(undefined);
    opened.value = undefined;
    const isFirst = turns.length === 0;
    void ask({ ...at, ask: question }, replacing);
    // A conversation that was deleted elsewhere is no longer the one of the thread.
    const place = () => ({ ask: question, conversation: thread.peek().conversation });
    leaveSourceEntry(() => setQuery(place(), { replace: !isFirst }));
  };
  const submit = (): void => {
    const question = draft.peek().trim();
    setDraft('');
    start(question);
  };

  const running = turns.find(({ answer }) => isOpen(answer));
  const isFirst = turns.length === 0 && load === 'loaded' && at.conversation === '';
  const isEmpty = facts.kind === 'loaded' && facts.value.documents === 0;
  const model = facts.kind === 'loaded' ? facts.value.model : undefined;
  const noModel = model === 'builtin/extractive' && at.scope.model === '' && <NoModel isShort={!isFirst} />;
  return (
    <div class={opened.value === undefined ? 'ask' : 'ask beside'}>
      <details class="side" open={isWide()}>
        <summary>{texts.ask.conversations.show}</summary>
        <ConversationList current={conversation} question={turns[0]?.question ?? ''} />
      </details>
      <div class={isFirst ? 'ask-main first' : 'ask-main'}>
        <h1 class={isFirst ? '' : 'visually-hidden'}>{texts.ask.heading}</h1>
        {isFirst && <p class="introduction">{texts.ask.introduction}</p>}
        {isFirst && !isEmpty && facts.kind === 'loaded' && (
          <p class="notice corpus">
            {texts.ask.documents(facts.value.documents)} · <Link href="/library">{texts.ask.openLibrary}</Link>
          </p>
        )}
        {!isEmpty && noModel}
        {facts.kind === 'failed' && <Failure error={facts.error} retry={facts.reload} />}
        {isEmpty && isFirst && (
          <EmptyCorpus
            onReady={(questions, failed) => {
              setSuggestions(questions);
              setFailedUploads(failed > 0);
              setNotice(texts.ask.empty.ready);
              facts.reload();
              document.getElementById(QUESTION_ID)?.focus();
            }}
          />
        )}
        {!isEmpty && isFirst && hasFailedUploads && <UploadList />}
        {isEmpty && noModel}
        {isFirst && suggestions.length > 0 && (
          <ul class="suggestions" aria-label={texts.ask.suggestions}>
            {suggestions.map((question) => (
              <li key={question}>
                <button type="button" onClick={() => start(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        )}
        <div class="turns">
          {load === 'loading' && <p class="notice">{texts.loading}</p>}
          {typeof load === 'object' && (
            <Failure error={withMessage(load.error)} retry={() => void openConversation(at.conversation)} />
          )}
          {turns.map((turn) => (
            <TurnView key={turn.key} turn={turn} retry={() => start(turn.question, turn.key)} />
          ))}
        </div>
        <Composer
          {...{
            parameters: at,
            draft: draft.value,
            setDraft,
            submit,
            isLoading: load === 'loading',
            running,
            isFirst,
            notice,
            model,
          }}
        />
      </div>
      <SourceBeside />
      <QuoteTip />
    </div>
  );
}

/** Scrolls to the newest turn of a conversation that has been loaded, which continues there. */
function useNewestTurn(load: Thread['load']): void {
  const before = useRef(load);
  useEffect(() => {
    const isLoaded = before.current === 'loading' && load === 'loaded';
    before.current = load;
    if (isLoaded) document.querySelector('.turn:last-child:not(:first-child)')?.scrollIntoView({ block: 'start' });
  }, [load]);
}

/** Shows what is added to the conversation elsewhere: in another tab at once, otherwise when the page is looked at. */
function useOtherTabs(): void {
  useEffect(() => {
    const refresh = () => {
      if (!document.hidden) void refreshConversation();
    };
    refresh();
    document.addEventListener('visibilitychange', refresh);
    const stopHearing = whenChangedElsewhere((id) => {
      if (id === thread.peek().conversation) void refreshConversation();
    });
    return () => {
      document.removeEventListener('visibilitychange', refresh);
      stopHearing();
    };
  }, []);
}

/** Opens the conversation of the URL, or asks the question in it. */
function useAddress(
  at: AskParameters,
  setDraft: (text: string) => void,
  setNotice: (text: string | undefined) => void,
): void {
  useEffect(() => {
    const { conversation, turns, load } = thread.peek();
    if (at.conversation !== '') {
      // A failed load is retried when the view is mounted again, for example after a sign-in.
      if (at.conversation !== conversation || typeof load === 'object') void openFromAddress(at, setDraft, setNotice);
      return;
    }
    const isShown = conversation === '' && turns.at(-1)?.question === at.ask;
    if (isShown && at.ask !== '') return;
    opened.value = undefined;
    // A question that did not reach the server is in no conversation, so it would be lost.
    const unsent = conversation === '' ? turns.findLast(({ answer }) => answer.failure !== undefined) : undefined;
    if (unsent !== undefined && draft.peek() === '') setDraft(unsent.question);
    clearThread();
    setNotice(undefined);
    if (at.ask === '') return;
    // A link may trigger a single retrieval and answer. An agent uses tools and costs more, so it needs a click.
    if (at.kind === 'answer') void ask(at);
    else {
      setDraft(at.ask);
      setNotice(texts.ask.linked);
    }
  }, [at.conversation, at.ask]);
}

async function openFromAddress(
  at: AskParameters,
  setDraft: (text: string) => void,
  setNotice: (text: string | undefined) => void,
): Promise<void> {
  opened.value = undefined;
  setNotice(undefined);
  await openConversation(at.conversation);
  const { conversation, load, turns } = thread.peek();
  if (conversation !== at.conversation || at.ask === '') return;
  if (typeof load === 'object' && isGone(load.error)) {
    // The linked conversation belongs to another user; the question can still be asked.
    clearThread();
    setQuery({ conversation: null, ask: null });
    setDraft(at.ask);
    setNotice(texts.ask.linked);
  } else if (load === 'loaded' && turns.every(({ question }) => question !== at.ask)) {
    setDraft(at.ask);
    setNotice(texts.ask.linked);
  }
}

const withMessage = (error: unknown): unknown => (isGone(error) ? new Error(texts.ask.gone) : error);
const isWide = (): boolean => matchMedia('(min-width: 60rem)').matches;

/** Shown if no model is configured. Only administrators can change that; others are told to ask one. */
function NoModel({ isShort }: { readonly isShort: boolean }) {
  const { value: who } = session;
  const isAdmin = who.kind === 'signed_in' && who.user.is_superuser;
  return (
    <aside class="banner" aria-label={texts.ask.noModel}>
      <p>
        {isShort ? texts.ask.noModel : <strong>{texts.ask.noModel}</strong>}{' '}
        {isShort ? '' : isAdmin ? texts.ask.noModelHelp : texts.ask.noModelForMembers}{' '}
        {isAdmin && <Link href="/settings">{texts.ask.noModelSettings}</Link>}
      </p>
    </aside>
  );
}
