/** The URL of a database without its password, for messages. */
export function nameOfDatabase(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return address.href;
}
