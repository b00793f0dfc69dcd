import type { Learner } from '../embeddings/corpus/learner.ts';
import type { HttpServices } from '../http/http-services.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { CorpusWatch } from '../store/watch-corpus.ts';
import type { Tool } from '../toolbox/tool.ts';
import type { Web } from '../web/web.ts';

/** The product, wired but at rest. */
export interface Product {
  /**
   * Makes the corpus that of the embedder, and creates the administrators. Throws ServiceError, with the adapters
   * closed.
   */
  start(options?: StartOptions): Promise<Services>;
}

export interface StartOptions {
  /** Finish in the background what an earlier process left in the middle of being ingested. */
  readonly resumes?: boolean;
  /**
   * `claim` (the default) refuses to start when the corpus was embedded with another embedder than is required. `keep`
   * takes the corpus as it is: to look at it, or to embed it anew.
   */
  readonly embedder?: 'claim' | 'keep';
}

/** Everything that lives longer than a request. */
export interface Services extends HttpServices {
  /** Every tool that can be called by name. */
  readonly tools: readonly Tool[];
  /** Tells of documents that come, change and go. */
  readonly changes: CorpusWatch;
  /** Undefined when nothing reaches the web. */
  readonly web?: Web;
  /** Learns an embedder from the corpus. */
  readonly learner: Learner;
  /** Present when Python can be run. */
  readonly sandbox?: Sandbox;
  /** Ends all work and closes the adapters. What is in the middle of being ingested is resumed at the next start. */
  close(): Promise<void>;
}
