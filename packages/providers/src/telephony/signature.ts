import { timingSafeEqual } from 'node:crypto';

/** A webhook request. */
export interface SignedRequest {
  /** The full URL that the provider requested. */
  url: string;
  /** `name` in lower case. */
  header(name: string): string | undefined;
  body: Buffer;
  /** The form parameters; null for other bodies. */
  form: URLSearchParams | null;
}

/** How a provider signs its webhook requests. */
export interface Signature {
  /** Headers that may have a signature, in lower case. */
  headers: readonly string[];
  /** `secrets` by their names in the API. */
  fits(request: SignedRequest, secrets: Readonly<Record<string, string>>, nowMs: number): boolean;
}

/** Compares in constant time. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Names in order with their distinct values in order: name, value, name, value… */
export function sortedParameters(
  form: URLSearchParams,
): (readonly [name: string, values: readonly string[]])[] {
  const names = [...new Set(form.keys())].sort();
  return names.map((name) => [name, form.getAll(name).sort()]);
}
