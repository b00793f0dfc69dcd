/** Says what `citewell mcp` waits for when a person starts it at a terminal, where it would seem to hang. */
export function noteForPeople({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): void {
  if (stdin.isTTY !== true) return;
  stderr.write(
    'Waiting for messages of an MCP client, which usually starts this command itself; Ctrl-C ends it.\n' +
      '"citewell mcp install" configures clients.\n',
  );
}
