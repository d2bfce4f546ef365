import { readParameters, writeParameters, type SipParameters } from './separated.ts';

/** A `sip:` or `sips:` URI. */
export interface SipUri {
  scheme: 'sip' | 'sips';
  /** As written, with escapes and password; null if absent. */
  user: string | null;
  /** As written; IPv6 addresses in brackets. */
  host: string;
  port: number | null;
  parameters: SipParameters;
}

const PARTS =
  /^(?<scheme>sips?):(?:(?<user>[^@\s<>"]+)@)?(?<host>\[[\da-fA-F:.]+\]|[\w.-]+)(?::(?<port>\d{1,5}))?(?<parameters>(?:;[^;?\s<>"]*)*)(?:\?\S*)?$/iu;

/** Null if malformed. Ignores headers after `?`. */
export function readSipUri(text: string): SipUri | null {
  const groups = PARTS.exec(text)?.groups;
  if (!groups?.['host']) return null;
  const port = groups['port'] === undefined ? null : Number(groups['port']);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return {
    scheme: groups['scheme']?.toLowerCase() === 'sips' ? 'sips' : 'sip',
    user: groups['user'] ?? null,
    host: groups['host'],
    port,
    parameters: readParameters((groups['parameters'] ?? '').split(';').slice(1)),
  };
}

export function writeSipUri({ scheme, user, host, port, parameters }: SipUri): string {
  const before = user === null ? '' : `${user}@`;
  const after = port === null ? '' : `:${port}`;
  return `${scheme}:${before}${host}${after}${writeParameters(parameters)}`;
}

/** Whether a request to the URI requires TLS on each hop. */
export function isSipsUri(text: string): boolean {
  return /^sips:/iu.test(text);
}

/** The number of a `tel:` URI; null for other text. */
export function readTelNumber(text: string): string | null {
  return /^tel:(?<number>\+?[\d().*#A-Fa-f-]+)(?:;\S*)?$/iu.exec(text)?.groups?.['number'] ?? null;
}

/** A phone number with parameters in a user part (RFC 3261, 19.1.6). */
const NUMBER_WITH_PARAMETERS = /^(?<number>\+?[\d().*#-]+);/u;

/** The user part for display: unescaped, without password and without the parameters of a phone number. */
export function decodedUser(user: string | null): string {
  const number = NUMBER_WITH_PARAMETERS.exec(user ?? '')?.groups?.['number'];
  const name = number ?? user?.split(':')[0] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
