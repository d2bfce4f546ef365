/** A phone call to request from a provider. */
export interface Dial {
  /** Identifiers and secrets of the account's configuration, by their names in the API. */
  identifiers: Readonly<Record<string, string>>;
  secrets: Readonly<Record<string, string>>;
  to: string;
  from: string;
  /** URL from which the provider requests instructions when the phone call is answered. */
  answerUrl: string;
  /** URL to which the provider reports the status of the phone call. */
  statusUrl: string;
  /** How long the phone may ring, in seconds. */
  ringLimitS: number;
  /** Provider-specific parameters from the customer. */
  additionalParams: Readonly<Record<string, unknown>>;
}

export interface DialRequest {
  /** Path under the provider's base URL. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** A request to end a phone call that may still ring. */
export interface HangUpRequest {
  method: 'POST' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** How a provider's API accepts requests for phone calls. */
export interface DialDialect {
  request(dial: Dial): DialRequest;
  hangUp(account: Pick<Dial, 'identifiers' | 'secrets'>, providerCallId: string): HangUpRequest;
  /** The provider's id of the phone call, from the response to an accepted request; null if it has none. */
  providerCallId(response: unknown): string | null;
  /** The provider's error message, from any other response; null if it has none. */
  refusal(response: unknown): string | null;
}

export interface Parameters {
  /** Parameters that the call needs. Customer parameters with these names are dropped. */
  required: Record<string, unknown>;
  /** Defaults that customer parameters may replace. */
  defaults: Record<string, unknown>;
  /** Customer parameters that would conflict with `required`, and are dropped. */
  forbidden: readonly string[];
  /** The parameter for the ring time in seconds. A shorter customer value wins. */
  ringLimit: { name: string; seconds: number };
}

/** Merges the parameters of the customer with those of the service. Names are compared without case. */
export function mergeCustomerParameters(
  customerParameters: Dial['additionalParams'],
  parameters: Parameters,
): Record<string, unknown> {
  const { required, defaults, forbidden, ringLimit } = parameters;
  const taken = new Set(
    [...Object.keys(required), ...forbidden, ringLimit.name].map((name) => name.toLowerCase()),
  );
  const free = Object.entries(customerParameters).filter(([name]) => !taken.has(name.toLowerCase()));
  const customerLimitS = Number(customerParameters[ringLimit.name] ?? Number.NaN);
  const seconds =
    customerLimitS >= 1 ? Math.min(Math.floor(customerLimitS), ringLimit.seconds) : ringLimit.seconds;
  return { ...defaults, ...Object.fromEntries(free), ...required, [ringLimit.name]: seconds };
}

export function basicAuthorization(user: string | undefined, password: string | undefined): string {
  return `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}`;
}

/** The text at the path in a provider's response; null if there is none. */
export function textAt(response: unknown, ...path: readonly (string | number)[]): string | null {
  let at = response;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return null;
    at = (at as Record<string | number, unknown>)[key];
  }
  return typeof at === 'string' && at !== '' ? at : null;
}
