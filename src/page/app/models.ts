import { call, RequestFailure } from './api/request.ts';

/** A language model that a server on the service's machine offers. */
export interface FoundModel {
  readonly name: string;
  readonly server: 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm';
  readonly address: string;
  readonly context_tokens: number | null;
  readonly tools: boolean | null;
  /** Whether `tools` was verified by a request; otherwise it is what the server reports. */
  readonly tools_tried: boolean;
  readonly is_usable: boolean;
  readonly settings: readonly string[];
}

/** An embedding model that a server on the service's machine offers. */
export type FoundEmbedder = Pick<FoundModel, 'name' | 'server' | 'address' | 'context_tokens' | 'settings'>;

export interface ModelChoices {
  readonly in_use: { readonly quality: string; readonly fast: string; readonly reasoning: string };
  readonly providers: readonly {
    readonly name: string;
    readonly label: string;
    readonly address: string;
    readonly has_key: boolean;
  }[];
  /** False if the service's settings turn the search off. */
  readonly looks_for_models: boolean;
  readonly found: readonly FoundModel[];
  readonly embedders: readonly FoundEmbedder[];
}

/** Loads the choices, for which the service probes for models; undefined if the user is no superuser. */
export const loadModelChoices = (signal: AbortSignal): Promise<ModelChoices | undefined> =>
  call<ModelChoices>('/v3/system/models', { signal }).catch((error: unknown) => {
    if (error instanceof RequestFailure && error.status === 403) return undefined;
    throw error;
  });

const KEY = 'citewell.model';

/** The model chosen in this browser for questions; empty for the service's default. */
export function rememberedModel(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    // Storage may be blocked.
    return '';
  }
}

export function rememberModel(name: string): void {
  try {
    if (name === '') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, name);
  } catch {
    // The address still holds the choice.
  }
}
