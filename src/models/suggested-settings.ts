/** How to get a language model, for sentences that begin with "Set". */
export const SUGGESTED_SETTINGS =
  'OPENAI_API_KEY or ANTHROPIC_API_KEY, or CITEWELL_MODEL=auto for a model of Ollama, LM Studio, llama.cpp or vLLM';
