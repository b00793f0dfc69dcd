import { texts } from '../../texts.ts';
import type { Step } from './answer-state.ts';

const MAX_QUERY = 120;
const MAX_ERROR = 200;

/** A step in plain words: "Searched the documents for “life rafts”: 5 passages". */
export function describeStep(step: Step): string {
  const done = whatWasDone(step);
  if (step.result === undefined) return `${done}: ${texts.ask.stepRunning}`;
  if (step.isError) return `${done}: ${texts.ask.stepFailed(clip(step.result, MAX_ERROR))}`;
  return countsChunks(step.name) ? `${done}: ${texts.ask.chunks(chunksIn(step.result))}` : done;
}

function whatWasDone({ name, arguments: given }: Step): string {
  const ask = texts.ask;
  const text = (...names: readonly string[]): string => {
    const value = names.map((each) => given[each]).find((each) => typeof each === 'string' && each !== '');
    return typeof value === 'string' ? clip(value, MAX_QUERY) : '';
  };
  const query = text('query', 'question', 'text');
  switch (name) {
    case 'search_file_knowledge':
      return ask.didSearch(query);
    case 'search_file_descriptions':
      return query === '' ? ask.didListFiles : ask.didLookFor(query);
    case 'content':
    case 'get_file_content':
      return text('around_chunk_id') === '' ? ask.didRead : ask.didReadAround;
    case 'web_search':
      return ask.didSearchWeb(query);
    case 'web_scrape':
      return ask.didReadPage(text('url'));
    case 'rag':
      return ask.didAskItself(query);
    case 'reasoning':
      return ask.didReason;
    case 'critique':
      return ask.didCriticise;
    case 'python_executor':
      return ask.didCompute;
    default:
      return ask.didUse(name.replaceAll(/[_-]+/g, ' '));
  }
}

const countsChunks = (name: string): boolean =>
  ['search_file_knowledge', 'search_file_descriptions', 'content', 'get_file_content', 'web_search'].includes(name);

/** Counts the numbered passages of a tool result: "[3] Handbook · page 2". */
const chunksIn = (result: string): number => (result.match(/^\[\d{1,4}\] \S/gm) ?? []).length;

const clip = (text: string, max: number): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > max ? `${line.slice(0, max)}…` : line;
};
