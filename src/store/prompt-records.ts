/** A prompt that was changed or added. */
export interface StoredPrompt {
  readonly id: string;
  readonly name: string;
  readonly template: string;
  readonly inputTypes: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Prompts that differ from those of the program, or are none of its. */
export interface PromptRecords {
  /** By name. */
  list(): Promise<readonly StoredPrompt[]>;
  /** Takes the place of one of the same name, whose identifier and time of creation stay. */
  put(prompt: Pick<StoredPrompt, 'id' | 'name' | 'template' | 'inputTypes'>): Promise<StoredPrompt>;
  /** True when it was there. */
  remove(name: string): Promise<boolean>;
}
