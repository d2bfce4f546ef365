import { sql, type Expression, type OrderByDirection, type SelectQueryBuilder } from 'kysely';

/** Values of a row that place it in its list: instants as ISO 8601 text. */
export type CursorKey = readonly (string | number)[];

export type Direction = 'next' | 'previous';

/** What a page is asked for: rows after (or before) `from`, exclusive, in the order of `direction`. */
export interface PageFetch {
  from: CursorKey | null;
  direction: Direction;
  limit: number;
}

/** A list of rows in a fixed order, of which pages are fetched. */
export interface PageSource<Row> {
  /** Rows in the order of `direction`, at most `limit`. */
  fetch(page: PageFetch): Promise<Row[]>;
  count(): Promise<number>;
  keyOf(row: Row): CursorKey;
}

export interface ListOrder<Row> {
  /** What rows are ordered by; together unique, none null. Columns by name. */
  by: readonly (string | Expression<unknown>)[];
  direction: OrderByDirection & ('asc' | 'desc');
  keyOf: (row: Row) => CursorKey;
}

// kysely's own way to say "of any tables".
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyQuery<Row> = SelectQueryBuilder<any, any, Row>;

/** The rows of `query` as pages. Stable while rows are added: a page begins behind the row its cursor names. */
export function pagesOf<Row>(query: AnyQuery<Row>, order: ListOrder<Row>): PageSource<Row> {
  const by = order.by.map((each) => (typeof each === 'string' ? sql.ref(each) : each));
  return {
    keyOf: order.keyOf,
    fetch({ from, direction, limit }) {
      const ascending = (order.direction === 'asc') === (direction === 'next');
      let page = query.limit(limit);
      for (const each of by) page = page.orderBy(each, ascending ? 'asc' : 'desc');
      if (from) {
        const operator = sql.raw(ascending ? '>' : '<');
        page = page.where(sql<boolean>`(${sql.join(by)}) ${operator} (${sql.join([...from])})`);
      }
      return page.execute();
    },
    async count() {
      const counted = query.clearSelect().select(sql<number>`count(*)`.as('total'));
      const row = (await counted.executeTakeFirstOrThrow());
      return row.total;
    },
  };
}
