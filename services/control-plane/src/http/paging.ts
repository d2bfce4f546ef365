import { durationToMs } from '@calls/api-contract/duration';
import type { CallFilters } from '@calls/api-contract/operations/call-filters';
import type { Page } from '@calls/api-contract/rest/common';
import { queryForm } from '@calls/api-contract/validation/query-form';
import { textIssues } from '@calls/api-contract/validation/text-issues';
import { compileValidator, type Issue } from '@calls/foundation/schema/validator';
import type { PageSource } from '@calls/store/keyset';
import type { Request } from 'express';
import type { Static, TSchema } from 'typebox';
import type { Cursor, CursorCodec } from '../pagination/cursor.ts';
import { paginate } from '../pagination/paginate.ts';
import { invalidRequest } from '../problems/problem.ts';

/** Validates the query of a request; unknown parameters are ignored. Throws a problem that lists every issue. */
export function queryReader<S extends TSchema>(schema: S): (request: Request) => Static<S> {
  const validator = compileValidator('query', schema);
  const gather = queryForm(schema);
  return (request) => {
    const query = gather(request.query);
    const repeated = repeatedIn(query, schema);
    const issues = repeated.length > 0 ? repeated : [...validator.issues(query), ...textIssues(query)];
    if (issues.length > 0) throw invalidRequest('query', issues);
    return query as Static<S>;
  };
}

/** Parameters that were given more than once, but are neither lists nor unknown. */
function repeatedIn(query: Record<string, unknown>, schema: TSchema): Issue[] {
  const properties = 'properties' in schema ? (schema.properties as Record<string, TSchema>) : {};
  const paths = Object.entries(query).flatMap(([name, value]) => {
    if (isArraySchema(properties[name])) return [];
    if (Array.isArray(value)) return [name];
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return entries.flatMap(([key, item]) => (Array.isArray(item) ? [`${name}.${key}`] : []));
  });
  return paths.map((path) => ({ path, message: 'must be given once' }));
}

function isArraySchema(schema: TSchema | undefined): boolean {
  return schema !== undefined && 'type' in schema && schema.type === 'array';
}

export interface Paging {
  cursors: CursorCodec;
  /** Public URL of this API, for the links in lists. */
  publicUrl: string;
}

/** A cursor is valid only for the same account, path and filters. */
export function readPage<Row, Item>(
  paging: Paging,
  raw: Request,
  request: { accountId: string; query: unknown; defaultPageSize: number },
  source: PageSource<Row>,
  item: (row: Row) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const query = request.query as { cursor?: string; pageSize?: number };
  const { cursor: cursorText, pageSize = request.defaultPageSize, ...filters } = query;
  const scope = `${raw.path.replace(/\/$/u, '')} of ${request.accountId}?${JSON.stringify(Object.entries(filters).sort())}`;
  let cursor: Cursor | null = null;
  if (cursorText !== undefined) {
    cursor = paging.cursors.decode(scope, cursorText);
    if (!cursor)
      throw invalidRequest('query', [{ path: 'cursor', message: 'must be a cursor of this list' }]);
  }
  const link = (to: Cursor): string => {
    // Ignores the Host header, which the client chooses.
    const { pathname, search } = new URL(raw.originalUrl, paging.publicUrl);
    const url = new URL(pathname + search, paging.publicUrl);
    url.searchParams.delete('page_size');
    url.searchParams.set('pageSize', String(pageSize));
    url.searchParams.set('cursor', paging.cursors.encode(scope, to));
    return url.href;
  };
  return paginate(source, { cursor, pageSize }, { item, link });
}

/** Returns the filters. Throws a problem if no call can match them. */
export function usableFilters<F extends CallFilters>(filters: F): F {
  const { fromDate, toDate, durationMin, durationMax } = filters;
  const issues: Issue[] = [];
  if (fromDate !== undefined && toDate !== undefined && Date.parse(toDate) < Date.parse(fromDate))
    issues.push({ path: 'toDate', message: 'must not be before fromDate' });
  if (
    durationMin !== undefined &&
    durationMax !== undefined &&
    durationToMs(durationMax) < durationToMs(durationMin)
  )
    issues.push({ path: 'durationMax', message: 'must not be less than durationMin' });
  if (issues.length > 0) throw invalidRequest('query', issues);
  return filters;
}
