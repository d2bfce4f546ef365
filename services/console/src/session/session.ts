import {
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { fetchJson, knownResponses, type Schemas } from '../api/client.ts';
import { SESSION_KEY, sessionOver } from '../api/queries.ts';

/** The response of `GET /console/session`. */
export interface Session {
  account: { accountId: string; name: string };
  key: { prefix: string; role: Schemas['APIKey']['role'] };
  /** When the session expires. */
  expires: string;
  /** Whether it has ended without a sign-out. Pages stay open until the user signs in again. */
  isOver?: true;
}

/** The response of `POST /console/invitation`. */
interface AcceptedInvitation {
  session: Session;
  /** The new API key. */
  secret: string;
}

const PATH = '/console/session';
const CHECK_MS = 60_000;

/** Null when signed out. */
export function useSession(): UseQueryResult<Session | null> {
  const queries = useQueryClient();
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async () => {
      const before = queries.getQueryData<Session | null>(SESSION_KEY);
      const session = (await fetchJson(PATH)) as Session | null;
      if (before && session && !isSameAccount(before, session)) location.assign('/');
      return session ?? sessionOver(before);
    },
    staleTime: CHECK_MS,
    refetchInterval: CHECK_MS,
    // Tabs share the cookie: another one may have signed in to another account, or out.
    refetchOnWindowFocus: 'always',
  });
}

/** The key is in memory only while the sign-in form is mounted. */
export const SIGN_IN = {
  mutationFn: async (apiKey: string) =>
    (await fetchJson(PATH, { method: 'POST', body: { apiKey } })) as Session,
  gcTime: 0,
};

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    ...SIGN_IN,
    onSuccess: (session) => change(queries, session),
  });
}

/** Signs in with the new key of an invitation. The result has the key. */
export function useAcceptInvitation() {
  const queries = useQueryClient();
  return useMutation({
    // The key is removed from memory when the page closes.
    gcTime: 0,
    mutationFn: async (token: string) =>
      (await fetchJson('/console/invitation', { method: 'POST', body: { token } })) as AcceptedInvitation,
    onSuccess: ({ session }) => change(queries, session),
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => fetchJson(PATH, { method: 'DELETE' }),
    onSuccess: () => change(queries, null),
  });
}

/** Signs in after the end of a session. Pages stay open for the same account, and reset for another one. */
export function useSignInAgain(ended: Session) {
  const queries = useQueryClient();
  return useMutation({
    ...SIGN_IN,
    onSuccess: (session) => {
      if (isSameAccount(session, ended)) {
        queries.setQueryData(SESSION_KEY, session);
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
      } else {
        location.assign('/');
      }
    },
  });
}

function isSameAccount(one: Session, other: Session): boolean {
  return one.account.accountId === other.account.accountId;
}

/** Removes all data of the previous account. */
function change(queries: QueryClient, session: Session | null): void {
  knownResponses.clear();
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  queries.setQueryData(SESSION_KEY, session);
}
