import {
  sql,
  type AliasableExpression,
  type AliasedSelectQueryBuilder,
  type Expression,
  type OrderByDirection,
  type SelectQueryBuilder,
} from 'kysely';

/** Values that determine a row's position in its list; instants as ISO 8601 text. */
export type CursorKey = readonly (string | number)[];

export type Direction = 'next' | 'previous';

/** The requested page: rows after (or before) `from`, exclusive, in the order of `direction`. */
export interface PageFetch {
  from: CursorKey | null;
  direction: Direction;
  limit: number;
}

/** A list of rows in a fixed order that is read in pages. */
export interface PageSource<Row> {
  /** Rows in the order of `direction`, at most `limit`. */
  fetch(page: PageFetch): Promise<Row[]>;
  count(): Promise<number>;
  keyOf(row: Row): CursorKey;
}

export interface ListOrder<Row> {
  /** Columns (by name) or expressions that order the rows. Together unique, never null. */
  by: readonly (string | AliasableExpression<unknown>)[];
  direction: OrderByDirection & ('asc' | 'desc');
  keyOf: (row: Row) => CursorKey;
}

type WithoutTable<Column extends string> = Column extends `${string}.${infer Name}` ? Name : Column;

/** Orders rows by columns, with or without their table. They are together unique, and never null. */
export function orderedBy<Column extends string>(
  direction: ListOrder<unknown>['direction'],
  ...columns: readonly Column[]
): ListOrder<Readonly<Record<WithoutTable<Column>, Date | string | number>>> {
  const names = columns.map((column) => column.replace(/^.*\./u, '') as WithoutTable<Column>);
  const keyValue = (value: Date | string | number): string | number =>
    value instanceof Date ? value.toISOString() : value;
  return { by: columns, direction, keyOf: (row) => names.map((name) => keyValue(row[name])) };
}

// kysely uses `any` for "any tables".
/* oxlint-disable typescript/no-explicit-any */
type AnyQuery<Row> = SelectQueryBuilder<any, any, Row>;
type KeyQuery = SelectQueryBuilder<any, any, any>;
/** A page as a derived table. */
export type PageTable = AliasedSelectQueryBuilder<any, 'page'>;
/* oxlint-enable typescript/no-explicit-any */

/**
 * Pages of the rows of `query`. Stable while rows are added: a page starts after the row that its cursor
 * names. If the rows are found through a narrower table, `query` selects from that table and `rowsOf` returns
 * the rows for a page of it (derived table `page`).
 */
export function pagesOf<Row>(query: AnyQuery<Row>, order: ListOrder<Row>): PageSource<Row>;
export function pagesOf<Row>(
  query: AnyQuery<object>,
  order: ListOrder<Row>,
  rowsOf: (page: PageTable) => AnyQuery<Row>,
): PageSource<Row>;
export function pagesOf<Row>(
  query: AnyQuery<Row>,
  order: ListOrder<Row>,
  rowsOf?: (page: PageTable) => AnyQuery<Row>,
): PageSource<Row> {
  const by = order.by.map((each) => (typeof each === 'string' ? sql.ref(each) : each));
  return {
    keyOf: order.keyOf,
    fetch({ from, direction, limit }) {
      const ascending = (order.direction === 'asc') === (direction === 'next');
      let page = sorted(query.limit(limit), by, ascending);
      if (from) {
        const operator = sql.raw(ascending ? '>' : '<');
        page = page.where(sql<boolean>`(${sql.join(by)}) ${operator} (${sql.join([...from])})`);
      }
      if (!rowsOf) return page.execute();
      const keyed = by.reduce<KeyQuery>((selected, each, i) => selected.select(each.as(`key_${i}`)), page);
      const keys = by.map((_, i) => sql.ref(`page.key_${i}`));
      return sorted(rowsOf(keyed.as('page')), keys, ascending).execute();
    },
    async count() {
      const counted = query.clearSelect().select(sql<number>`count(*)`.as('total'));
      const row = await counted.executeTakeFirstOrThrow();
      return row.total;
    },
  };
}

function sorted<Row>(
  query: AnyQuery<Row>,
  by: readonly Expression<unknown>[],
  ascending: boolean,
): AnyQuery<Row> {
  return by.reduce<AnyQuery<Row>>(
    (ordered, each) => ordered.orderBy(each, ascending ? 'asc' : 'desc'),
    query,
  );
}
