/** What the URL of a join names. */
export interface JoinTarget {
  /** `supervise`: listens to a call that another client has joined. `person`: the target of a warm transfer. */
  purpose: (typeof PURPOSES)[number];
  callId: string;
  token: string;
  query: URLSearchParams;
}

const PURPOSES = ['join', 'supervise', 'person'] as const;
/** Call id and, for telephony providers, the token. */
const JOIN_PATH = /^\/([a-z]+)\/([0-9a-f-]{36})(?:\/([\w.-]+))?$/u;

/** Null if the URL of the request is no join URL. */
export function joinTarget(url: string | undefined): JoinTarget | null {
  const read = readUrl(url);
  const [, kind, callId, token] = (read && JOIN_PATH.exec(read.pathname)) ?? [];
  const purpose = PURPOSES.find((each) => each === kind);
  if (!read || !purpose || callId === undefined) return null;
  const query = read.searchParams;
  return { purpose, callId, token: token ?? query.get('token') ?? '', query };
}

export function readUrl(url: string | undefined): URL | null {
  return URL.canParse(url ?? '', 'http://join') ? new URL(url ?? '', 'http://join') : null;
}
