import { DEFAULT_PAGE_SIZE, type Page, type Validator } from '@calls/api-contract';
import type { Request } from 'express';
import type { Cursor, CursorCodec } from '../pagination/cursor.ts';
import { paginate, type PageSource } from '../pagination/paginate.ts';
import { invalidRequest } from './problem.ts';

/** The query, converted and checked; throws a problem that names every fault. */
export function readQuery<T>(request: Request, validator: Validator<T>): T {
  const query = { ...request.query };
  const faults = validator.faults(query);
  if (faults.length > 0) throw invalidRequest('query', faults);
  return query as T;
}

export interface Paging {
  cursors: CursorCodec;
  /** Where clients reach this API: the start of the links in lists. */
  publicUrl: string;
}

/**
 * Answers a list request. `scope` names the list and its owner; the filters in the query are added to it, so that a
 * cursor works with the filters it was made with.
 */
export function answerPage<Row, Item>(
  paging: Paging,
  request: Request,
  query: { cursor?: string; pageSize?: number },
  scope: string,
  source: PageSource<Row>,
  item: (row: Row) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const { cursor: cursorText, pageSize = DEFAULT_PAGE_SIZE, ...filters } = query;
  const fullScope = `${scope}?${JSON.stringify(Object.entries(filters).sort())}`;
  let cursor: Cursor | null = null;
  if (cursorText !== undefined) {
    cursor = paging.cursors.decode(fullScope, cursorText);
    if (!cursor) throw invalidRequest('query', [{ path: 'cursor', message: 'is not a cursor of this list' }]);
  }
  const link = (to: Cursor): string => {
    const url = new URL(request.path, paging.publicUrl);
    for (const [name, value] of Object.entries(filters)) url.searchParams.set(name, String(value));
    url.searchParams.set('pageSize', String(pageSize));
    url.searchParams.set('cursor', paging.cursors.encode(fullScope, to));
    return url.href;
  };
  return paginate(source, { cursor, pageSize }, { item, link });
}
