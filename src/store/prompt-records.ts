/** A prompt that was edited or added. */
export interface StoredPrompt {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  readonly inputTypes: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Prompts that were edited, or added to the built-in ones. */
export interface PromptRecords {
  /** By name. */
  list(): Promise<readonly StoredPrompt[]>;
  /** Replaces a prompt of the same name, keeping its identifier and creation time. */
  put(prompt: Pick<StoredPrompt, 'id' | 'name' | 'template' | 'inputTypes'>): Promise<StoredPrompt>;
  /** True when it existed. */
  remove(name: string): Promise<boolean>;
}
