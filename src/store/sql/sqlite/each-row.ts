const ROWS = 500;

/** All rows of a table, read by keyset paging, so that none is returned twice. */
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
