import type { Source } from '../../src/citations/citation.ts';
import { citedPlace } from '../../src/citations/session-citations.ts';
import { createSourceList } from '../../src/citations/source-list.ts';
import { everything } from '../../src/documents/filter.ts';
import { defaultSearchSettings } from '../../src/retrieval/search-settings.ts';
import { callTool, type ToolOutcome } from '../../src/toolbox/call-tool.ts';
import type { Tool, ToolOutput } from '../../src/toolbox/tool.ts';
import type { ToolContext } from '../../src/toolbox/tool-context.ts';
import type { OpenStore } from './adapters.ts';
import { retrieverOver } from './agent-over-store.ts';

export interface Caller {
  readonly sources: { get(number: number): Source | undefined; readonly size: number };
  call(tool: Tool, given: unknown): Promise<ToolOutcome>;
  /** Calls a tool and returns its result; the call must succeed. */
  result(tool: Tool, given: unknown): Promise<ToolOutput>;
  /** Calls a tool and returns its error text; the call must fail. */
  failure(tool: Tool, given: unknown): Promise<string>;
}

/** Calls tools as an agent run does, over an open store; `visible` limits which documents they see. */
export function callerOver(store: OpenStore, change: Partial<ToolContext> = {}): Caller {
  const sources = createSourceList();
  const visible = change.visible ?? everything;
  const context: ToolContext = {
    retriever: retrieverOver(store),
    library: store.corpus,
    settings: { ...defaultSearchSettings, filter: visible },
    visible,
    cite: (source) => sources.add(source),
    cited: (number) => {
      const source = sources.get(number);
      return source && citedPlace(source);
    },
    transcript: [],
    maxCharacters: 40_000,
    spend: () => {},
    signal: new AbortController().signal,
    ...change,
  };
  const call = (tool: Tool, given: unknown) =>
    callTool({ id: 'call', name: tool.name, arguments: given }, [tool], context);
  return {
    sources,
    call,
    async result(tool, given) {
      const outcome = await call(tool, given);
      if (outcome.isError) throw new Error(outcome.text);
      return outcome.output;
    },
    async failure(tool, given) {
      const outcome = await call(tool, given);
      if (!outcome.isError) throw new Error(`It did not fail: ${outcome.output.text}`);
      return outcome.text;
    },
  };
}
