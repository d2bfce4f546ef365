/** A phone call that a provider is to place. */
export interface Dial {
  /** What the account's configuration names, and its secrets, by their names in the API. */
  identifiers: Readonly<Record<string, string>>;
  secrets: Readonly<Record<string, string>>;
  to: string;
  from: string;
  /** What the provider asks what to do with the phone call, once it is answered. */
  answerUrl: string;
  /** What the provider tells how the phone call went. */
  statusUrl: string;
  /** How long the phone may ring. */
  ringLimitS: number;
  /** Of the provider's own, as the customer gave them. */
  additionalParams: Readonly<Record<string, unknown>>;
}

export interface DialRequest {
  /** Under the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** How a provider's API takes orders of phone calls. */
export interface DialDialect {
  request(dial: Dial): DialRequest;
  /** Its name for the phone call, of the answer to an order that it took; null where the answer has none. */
  providerCallId(answer: unknown): string | null;
  /** Its own words for why it refuses, of any other answer; null where the answer has none. */
  refusal(answer: unknown): string | null;
}

export interface Parameters {
  /** Without these the call wouldn't work: theirs are left out. */
  ours: Record<string, unknown>;
  /** What theirs may be instead. */
  defaults: Record<string, unknown>;
  /** Those of theirs that would undo ours. */
  barred: readonly string[];
  /** The parameter for how long the phone may ring, in seconds: theirs where it is shorter. */
  ringLimit: { name: string; seconds: number };
}

/** Names of ours are taken whatever their case. */
export function withTheirs(
  theirs: Dial['additionalParams'],
  parameters: Parameters,
): Record<string, unknown> {
  const { ours, defaults, barred, ringLimit } = parameters;
  const taken = new Set([...Object.keys(ours), ...barred, ringLimit.name].map((name) => name.toLowerCase()));
  const free = Object.entries(theirs).filter(([name]) => !taken.has(name.toLowerCase()));
  const theirLimitS = Number(theirs[ringLimit.name] ?? Number.NaN);
  const seconds = theirLimitS >= 1 ? Math.min(Math.floor(theirLimitS), ringLimit.seconds) : ringLimit.seconds;
  return { ...defaults, ...Object.fromEntries(free), ...ours, [ringLimit.name]: seconds };
}

export function basicAuthorization(user: string | undefined, password: string | undefined): string {
  return `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}`;
}

/** The text at the path in a provider's response; null if there is none. */
export function textAt(answer: unknown, ...path: readonly (string | number)[]): string | null {
  let at = answer;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return null;
    at = (at as Record<string | number, unknown>)[key];
  }
  return typeof at === 'string' && at !== '' ? at : null;
}
