import { ServiceError } from '../../../errors.ts';
import { composeDocuments } from '../compose-documents.ts';
import type { ReadDocument, ReaderInput } from '../reader.ts';
import { addInnerFiles, filesMetadata, type InnerFile } from './inner-files.ts';
import { createNestingBudget, MAX_FILES } from './nesting-budget.ts';

/** Files that systems and tools add to archives. */
const TOOL_FILES = /(?:^|\/)(?:__MACOSX\/|\.git\/|\.svn\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$|\._[^/]*$)/i;

/** Reads an archive as a document: every readable file is a section under its path. Throws the errors of reading it. */
export async function readArchive(files: readonly InnerFile[], input: ReaderInput): Promise<ReadDocument> {
  const { fileName } = input;
  const wanted = files.filter(({ name }) => !TOOL_FILES.test(name.replaceAll('\\', '/')));
  if (wanted.length === 0) throw new ServiceError('invalid_request', `${fileName} is an archive without any files.`);
  if (wanted.length > MAX_FILES) {
    throw new ServiceError(
      'too_large',
      `${fileName} holds ${wanted.length} files; at most ${MAX_FILES} are read. Split it first.`,
    );
  }
  const composition = composeDocuments(fileName);
  const budget = input.budget ?? createNestingBudget(fileName);
  const inner = await addInnerFiles(wanted, { composition, input, budget, level: 1 });
  const [unread] = inner.unread;
  if (inner.read.length === 0 && unread !== undefined) {
    const others = wanted.length > 1 ? `, nor ${wanted.length - 1} more` : '';
    throw new ServiceError(
      'invalid_request',
      `Nothing in ${fileName} can be read: not ${unread.name}${others}. ${unread.reason.slice(0, 400)}`,
    );
  }
  return { ...composition.finish(), pages: [], metadata: filesMetadata(inner) };
}
