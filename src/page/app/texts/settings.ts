import type { FoundEmbedder, FoundModel } from '../models.ts';

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export const settings = {
  title: 'Settings',
  signedInAs: (email: string) => `Signed in as ${email}.`,
  noSignIn: (email: string) => `No sign-in is required here. You act as ${email}.`,
  signOut: 'Sign out',
  theme: 'The theme, light or dark, follows your system.',
  system: 'Service status',
  levels: { wrong: 'Error:', warning: 'Warning:', busy: 'In progress:', hint: 'Hint:' },
  allWell: 'No problems found.',
  show: 'Show',
  lookAgain: 'Refresh',
  checkIndex: 'Check and repair the index',
  checkingIndex: 'Checking…',
  indexStates: {
    unavailable: 'The vector index cannot be reached; search uses full text only.',
    rebuilding: 'The vector index is being rebuilt.',
    checking: 'The vector index is being compared with the records.',
  },
  failedDocuments: (count: number) => `${counted(count, 'document')} could not be read.`,
  retrying: (count: number) => `${counted(count, 'document')} failed temporarily and will be retried.`,
  failedGraphs: (count: number) => `The graph of ${counted(count, 'document')} could not be extracted.`,
  failedSummaries: (count: number) => `The summary of ${counted(count, 'document')} could not be written.`,
  pendingWrites: (count: number) => `${count.toLocaleString('en')} changes are not yet in the vector index.`,
  waiting: (count: number) => `${counted(count, 'document')} ${count === 1 ? 'is' : 'are'} being read.`,
  waitingGraphs: (count: number) => `The graph of ${counted(count, 'document')} has not been extracted yet.`,
  waitingSummaries: (count: number) => `The summary of ${counted(count, 'document')} has not been written yet.`,
  model: 'Answer model',
  embedder: 'Embedding model',
  web: 'Web search',
  noWeb: 'not configured',
  index: 'Vector index',
  holds: 'Contents',
  corpus: (ready: number, failed: number, chunks: number, collections: number) =>
    `${counted(ready, 'document')}${failed === 0 ? '' : ` (and ${failed.toLocaleString('en')} failed)`}, ${counted(chunks, 'passage')}, ${counted(collections, 'collection')}`,
  data: 'Data folder',
  version: 'Version',
  uptime: (seconds: number) =>
    `up for ${seconds < 3_600 ? counted(Math.round(seconds / 60), 'minute') : counted(Math.round(seconds / 3_600), 'hour')}`,
  memory: 'Memory in use',
  models: 'Models',
  lookingForModels: 'Looking for models…',
  modelUse: (use: string): string =>
    ({ quality: 'Answers', fast: 'Small tasks', reasoning: 'Hard questions' })[use] ?? use,
  providers: 'Providers',
  noProviders: 'none configured',
  provider: (name: string, address: string, hasKey: boolean) => `${name}, ${address}${hasKey ? ', with a key' : ''}`,
  foundModels: 'Found on this machine',
  noModelsFound:
    'None of Ollama, LM Studio, llama.cpp and vLLM answers at its default address. Start one of them, then look again.',
  modelSearchOff:
    'The search for models on this machine is turned off (CITEWELL_LOCAL_MODELS=off). Remove this setting and restart the server to see them.',
  foundEmbedders: 'Embedding models found on this machine',
  foundEmbeddersText: 'They search by meaning. After setting one, "citewell reindex" embeds what is stored.',
  lookAgainForModels: 'Look again',
  foundModel: ({
    server,
    address,
    context_tokens: context,
    tools = null,
    tools_tried: isTried = false,
  }: FoundEmbedder & Partial<Pick<FoundModel, 'tools' | 'tools_tried'>>) =>
    [
      `${{ ollama: 'Ollama', lmstudio: 'LM Studio', llamacpp: 'llama.cpp', vllm: 'vLLM' }[server]} at ${address}`,
      context === null ? '' : `${context.toLocaleString('en')} tokens of context`,
      tools === null ? '' : tools ? (isTried ? 'calls tools' : 'said to call tools') : 'calls no tools',
    ]
      .filter((fact) => fact !== '')
      .join(', '),
  useHere: 'Use for my questions',
  inUseHere: 'Used for my questions',
  copySetting: 'Copy the setting',
  ownModel: (name: string) => `Questions from this browser are answered by ${name}.`,
  useConfigured: 'Use the configured model again',
  modelChosen: (name: string) => `Your questions are now answered by ${name}.`,
  modelReset: 'Your questions are answered by the configured model.',
  assistants: 'Connect an assistant',
  assistantsText: 'This configuration connects an MCP client to this server. Citations open in this page.',
  keyNeeded: 'Replace YOUR-API-KEY with one of your API keys.',
  keys: 'API keys',
  noKeys: 'You have no keys yet. A key lets a program act as you.',
  nameless: 'Unnamed',
  keyName: 'What the key is for',
  keyNameExample: 'Notebook, build server…',
  createKey: 'Create a key',
  newKey: 'Your new key',
  newKeyText: 'Copy it now. It is shown only once; the service stores only its hash.',
  deleteKey: 'Delete',
  deleteKeyTitle: 'Delete this key?',
  deleteKeyText: (name: string) => `Programs that use “${name}” will be refused.`,
  password: 'Password',
  currentPassword: 'Current password',
  chosenPassword: 'New password',
  changePassword: 'Change the password',
  passwordChanged: 'Your password is changed. You are signed out everywhere else.',
  keysStayValid: (count: number) =>
    count === 1
      ? 'Your API key still works: it does not depend on the password.'
      : `Your ${count.toLocaleString('en')} API keys still work: they do not depend on the password.`,
  deleteKeys: (count: number) => (count === 1 ? 'Delete the key' : 'Delete all keys'),
  keysDeleted: 'No API key is valid any longer.',
  limits: 'Limits',
  storage: (name: string): string =>
    ({ documents: 'Documents', chunks: 'Passages', collections: 'Collections' })[name] ?? name,
  perMinute: 'Requests per minute',
  perMonth: 'Requests per month',
  share: (used: number, limit: number | null) =>
    limit === null
      ? `${used.toLocaleString('en')}, no limit`
      : `${used.toLocaleString('en')} of ${limit.toLocaleString('en')}`,
  users: 'Users',
  userFacts: (files: number, isSuperuser: boolean, isActive: boolean) =>
    [counted(files, 'document'), isSuperuser ? 'superuser' : '', isActive ? '' : 'deactivated']
      .filter((each) => each !== '')
      .join(', '),
  newEmail: 'E-mail of the new user',
  newPassword: 'Initial password',
  userCreated: (email: string) => `${email} can sign in with this password now, and change it afterwards.`,
  createUser: 'Create a user',
  makeSuperuser: 'Make superuser',
  takeSuperuser: 'Revoke superuser',
  lockOut: 'Deactivate',
  letIn: 'Activate',
  deleteUser: 'Delete',
  deleteUserTitle: (email: string) => `Delete ${email}?`,
  deleteUserText: (files: number) =>
    `Their documents (${files.toLocaleString('en')}), conversations and keys are deleted too. This cannot be undone.`,
  changed: 'Changed.',
};
