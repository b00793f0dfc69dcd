import type { Learner } from '../embeddings/corpus/learner.ts';
import type { HttpServices } from '../http/http-services.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SharedCitations } from '../store/shared-state.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { TraceTool } from '../toolbox/tool-context.ts';
import type { Web } from '../web/web.ts';

/** The wired product, not started. */
export interface Product {
  /**
   * Prepares the corpus for the embedder and creates the administrators. On failure, throws ServiceError and closes the
   * adapters.
   */
  start(options?: StartOptions): Promise<Services>;
}

export interface StartOptions {
  /** Resumes ingestions that an earlier process left unfinished, in the background. */
  readonly resumes?: boolean;
  /**
   * `claim` (the default) refuses to start if the corpus was embedded with a different embedder than configured. `keep`
   * uses the corpus as it is, for commands that only read it or that re-embed it.
   */
  readonly embedder?: 'claim' | 'keep';
}

/** The services of a running product. */
export interface Services extends HttpServices {
  /** All tools that can be called by name. */
  readonly tools: readonly Tool[];
  /** Notifies about added, changed and deleted documents. */
  readonly changes: CorpusWatch;
  /** Undefined without web access. */
  readonly web?: Web;
  readonly traceTool?: TraceTool | undefined;
  /** Source numbers shared by several servers; undefined with a single server. */
  readonly sharedCitations?: SharedCitations | undefined;
  /** Trains an embedder on the corpus. */
  readonly learner: Learner;
  /** Present if Python can be run. */
  readonly sandbox?: Sandbox;
  /** Loads what the first search would otherwise wait for, such as a provider's SDK. Calls no provider. */
  preload(): Promise<void>;
  /**
   * Ends the background work and releases its tasks, so that other servers take them immediately. Requests are still
   * answered.
   */
  release(): Promise<void>;
  /** Stops all work and closes the adapters. Unfinished ingestions are resumed at the next start. */
  close(): Promise<void>;
}
