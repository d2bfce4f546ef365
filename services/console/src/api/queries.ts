import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api-problem.ts';

/** Refresh interval of live data, while the page is visible. */
export const LIVE_REFRESH_MS = 2500;
/** Refresh interval of data that other users change. */
export const SLOW_REFRESH_MS = 15_000;

const MAX_RETRIES = 2;

/** The query key of the session; see session/session.ts. */
export const SESSION_KEY = ['session'] as const;

/** The state after a session that the user did not end; null if there was none. */
export function sessionOver<Session extends object>(session: Session | null | undefined) {
  return session ? { ...session, isOver: true as const } : null;
}

export function createQueries(): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiProblem && error.status === 401) client.setQueryData(SESSION_KEY, sessionOver);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2000,
        retry: (count, error) => count < MAX_RETRIES && (!(error instanceof ApiProblem) || error.isPassing),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
  return client;
}
