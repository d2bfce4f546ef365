import {
  readParameters,
  quoted,
  splitOutside,
  unquoted,
  writeParameters,
  type SipParameters,
} from './separated.ts';

/** The value of From, To, Contact, Route, Record-Route or Refer-To. */
export interface NameAddress {
  /** Without quotes; '' if absent. */
  displayName: string;
  /** Any text without blanks; the scheme may be unknown. */
  uri: string;
  /** Parameters outside of `<>`. */
  parameters: SipParameters;
}

const BRACKETED = /^(?<name>"(?:[^"\\]|\\.)*"\s*|[^"<]*)<(?<uri>[^<>\s]+)>(?<rest>.*)$/su;

/** Null if malformed. Without `<>`, parameters belong to the header, not to the URI (RFC 3261, 20.10). */
export function readNameAddress(text: string): NameAddress | null {
  const trimmed = text.trim();
  const groups = BRACKETED.exec(trimmed)?.groups;
  if (groups?.['uri']) {
    const parts = splitOutside(groups['rest'] ?? '', ';');
    if (parts.shift() !== '') return null;
    const displayName = unquoted((groups['name'] ?? '').trim());
    return { displayName, uri: groups['uri'], parameters: readParameters(parts) };
  }
  const [uri = '', ...parts] = splitOutside(trimmed, ';');
  if (!/^[a-z][a-z\d+.-]*:[^\s<>"]+$/iu.test(uri)) return null;
  return { displayName: '', uri, parameters: readParameters(parts) };
}

export function writeNameAddress({ displayName, uri, parameters }: NameAddress): string {
  const name = displayName === '' ? '' : `${quoted(displayName)} `;
  return `${name}<${uri}>${writeParameters(parameters)}`;
}
