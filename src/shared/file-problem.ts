const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'it is no longer there'],
  ['ENOTDIR', 'it, or something above it, is not a folder'],
  ['EACCES', 'the user that runs this service may not read it'],
  ['EPERM', 'the user that runs this service may not read it'],
  ['EBUSY', 'another program is using it'],
  ['EIO', 'its disk, or the network to it, reports an error'],
  ['ENODEV', 'its disk is not connected'],
  ['ENXIO', 'its disk is not connected'],
  ['ESTALE', 'the network drive it is on was disconnected'],
  ['EHOSTDOWN', 'the network drive it is on does not answer'],
  ['ETIMEDOUT', 'the network drive it is on does not answer'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'its path is too long for this system'],
  ['EMFILE', 'this service has too many files open; it is tried again'],
  ['ENFILE', 'this system has too many files open; it is tried again'],
  ['ENOMEM', 'this system has too little memory left'],
  ['ENOSPC', 'the system’s limit of watched folders (on Linux, fs.inotify.max_user_watches) is reached'],
]);

/** A plain explanation why a file or folder cannot be read; the error's own message for unknown causes. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return PROBLEMS.get(code) ?? (error instanceof Error ? error.message : String(error));
}
