import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient, type ApiClient } from '@calls/api-client';
import type { Page } from '@calls/api-contract/rest/common';
import { AppError, toError } from '@calls/foundation/errors';

/** Where a service is, and the key of an account. */
export interface ServiceAddress {
  url: string;
  /** Null: the key that `npm start` makes. */
  key: string | null;
}

const DEVELOPMENT_KEY = join(import.meta.dirname, '../../../../.data/dev-api-key');
const REQUEST_LIMIT_MS = 10_000;
/** Exceeds the pages of an account's tools and of a call's messages. */
const MAX_PAGES = 50;

/** Uses the API of a service. Throws an AppError if it cannot be reached. */
export async function withService<T>(
  { url, key }: ServiceAddress,
  use: (client: ApiClient) => Promise<T>,
): Promise<T> {
  const apiKey = key ?? (await readFile(DEVELOPMENT_KEY, 'utf8').catch(() => '')).trim();
  if (apiKey === '') throw new AppError('usage', 'The service needs an API key: set --key or API_KEY.');
  const client = createApiClient({
    baseUrl: url,
    apiKey,
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }),
  });
  try {
    return await use(client);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError('unreachable', `${url} cannot be reached: ${toError(thrown).message}`, {
      cause: thrown,
    });
  }
}

interface ApiResult<T> {
  data?: T | undefined;
  error?: { detail: string } | undefined;
}

/** The data of an answer. Throws an AppError if it is an error. */
export function dataOf<T>({ data, error }: ApiResult<T>): T {
  if (data !== undefined) return data;
  throw new AppError('request_failed', error?.detail ?? 'The request failed.');
}

/** The items of all pages of a list. */
export async function allItems<T>(
  page: (query: { pageSize: number; cursor?: string }) => Promise<ApiResult<Page<T>>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const result: ApiResult<Page<T>> = await page({ pageSize: 100, ...(cursor !== null && { cursor }) });
    const { results, next } = dataOf(result);
    items.push(...results);
    cursor = next === null ? null : new URL(next).searchParams.get('cursor');
    if (cursor === null) return items;
  }
  throw new AppError('too_many_items', `The list has more than ${MAX_PAGES} pages.`);
}
