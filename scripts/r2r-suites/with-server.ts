import { mkdtemp, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCitewell } from '../../test/support/run-citewell.ts';
import { buildIfStale } from '../build.js';
import { startScriptedModel } from './scripted-model.ts';

export interface SuiteEnvironment {
  /** A fresh server whose administrator has the password that R2R's suites expect. */
  readonly url: string;
  /** An empty folder, deleted after the run. */
  readonly folder: string;
}

/** Sets all model settings to the model name that R2R's suites use. */
const modelSettings = (baseUrl: string) => ({
  OPENAI_API_KEY: 'scripted',
  OPENAI_BASE_URL: baseUrl,
  CITEWELL_MODEL: SCRIPTED,
  CITEWELL_FAST_MODEL: SCRIPTED,
  CITEWELL_REASONING_MODEL: SCRIPTED,
  CITEWELL_GRAPH_MODEL: SCRIPTED,
  CITEWELL_READ_IMAGES: SCRIPTED,
  CITEWELL_SUMMARIES: 'extract',
  CITEWELL_EMBEDDING_MODEL: 'builtin/lexical-hash-v1',
});

const SCRIPTED = 'openai/gpt-4.1';
/** A server of low priority starts slowly on a busy machine. */
const START_WITHIN_MS = 300_000;

/** Gives `run` a fresh server and an empty folder, and removes both afterwards. */
export async function withServer<Result>(
  { hasModel }: { readonly hasModel: boolean },
  run: (surroundings: SuiteEnvironment) => Promise<Result>,
): Promise<Result> {
  buildIfStale();
  const folder = await mkdtemp(join(tmpdir(), 'citewell-r2r-suite-'));
  const model = hasModel ? await startScriptedModel() : undefined;
  try {
    const server = await startCitewell({
      cwd: folder,
      env: {
        CITEWELL_R2R_TEST_ADMIN: 'true',
        CITEWELL_LOG_LEVEL: 'error',
        // R2R extracts a graph only on request, and its suites check the state before that.
        CITEWELL_GRAPH: 'off',
        ...(model && modelSettings(model.baseUrl)),
      },
      startWithinMs: START_WITHIN_MS,
      onStart: ({ pid }) => {
        if (pid !== undefined) setPriority(pid, 10);
      },
    });
    try {
      return await run({ url: server.url, folder });
    } finally {
      await server.end('SIGTERM');
    }
  } finally {
    await model?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
