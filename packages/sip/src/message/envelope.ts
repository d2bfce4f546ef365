import { headersOf, headerOf, listOf } from './headers.ts';
import type { SipMessage } from './message.ts';
import { readNameAddress, type NameAddress } from './name-address.ts';
import { readVia, type Via } from './via.ts';

/** The header fields that every message has: Via, From, To, Call-ID and CSeq. */
export interface Envelope {
  /** The topmost Via. */
  via: Via;
  /** '' if absent. */
  branch: string;
  from: NameAddress;
  fromTag: string;
  to: NameAddress;
  /** Null outside of dialogs. */
  toTag: string | null;
  callId: string;
  cseq: CSeq;
}

export interface CSeq {
  number: number;
  method: string;
}

/** Null when a header field is missing, duplicated or malformed; such a message cannot be answered. */
export function readEnvelope(message: SipMessage): Envelope | null {
  const via = readVia(listOf(message, 'Via')[0] ?? '');
  const from = readNameAddress(onlyOne(message, 'From'));
  const to = readNameAddress(onlyOne(message, 'To'));
  const callId = onlyOne(message, 'Call-ID');
  const cseq = readCSeq(onlyOne(message, 'CSeq'));
  if (!via || !from || !to || !cseq || !/^\S{1,512}$/u.test(callId)) return null;
  if (message.kind === 'request' && cseq.method !== message.method) return null;
  return {
    via,
    branch: via.parameters.get('branch') ?? '',
    from,
    fromTag: from.parameters.get('tag') ?? '',
    to,
    toTag: to.parameters.get('tag') ?? null,
    callId,
    cseq,
  };
}

function onlyOne(message: SipMessage, name: string): string {
  const first = headerOf(message, name);
  return first !== null && headersOf(message, name).length === 1 ? first : '';
}

function readCSeq(text: string): CSeq | null {
  const groups = /^(?<number>\d{1,10})\s+(?<method>\S{1,64})$/u.exec(text)?.groups;
  const number = Number(groups?.['number']);
  return groups?.['method'] && number <= 0x7fff_ffff ? { number, method: groups['method'] } : null;
}
