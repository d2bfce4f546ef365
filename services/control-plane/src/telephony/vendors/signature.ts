import { timingSafeEqual } from 'node:crypto';

/** A webhook's request as it came. */
export interface SignedRequest {
  /** The whole of it, as the provider knows it. */
  url: string;
  /** By lower-case name. */
  header(name: string): string | undefined;
  body: Buffer;
  /** Of a form; null for other bodies. */
  form: URLSearchParams | null;
}

/** How a provider signs the requests of its webhooks. */
export interface Signature {
  /** Any of them has a signature; lower case. */
  headers: readonly string[];
  /** `secrets` by their names in the API. */
  fits(request: SignedRequest, secrets: Readonly<Record<string, string>>, nowMs: number): boolean;
}

/** In a time that doesn't tell where they differ. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The values of each name once, in order, the names in order: name, value, name, value… */
export function sortedParameters(
  form: URLSearchParams,
): (readonly [name: string, values: readonly string[]])[] {
  const names = [...new Set(form.keys())].sort();
  return names.map((name) => [name, form.getAll(name).sort()]);
}
