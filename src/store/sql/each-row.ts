const ROWS = 500;

/** Everything a table holds, read a page at a time from one key to the next, so that nothing is shown twice. */
export async function* eachRow<Item>(
  read: (after: number, limit: number) => Promise<readonly { readonly key: number; readonly item: Item }[]>,
): AsyncGenerator<Item, void> {
  for (let after = 0; ; ) {
    const rows = await read(after, ROWS);
    for (const { item } of rows) yield item;
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.key;
  }
}
