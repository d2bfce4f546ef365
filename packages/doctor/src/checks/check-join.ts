import type { SignalMessage, SignalReady } from '@calls/api-contract';
import { toError } from '@calls/foundation';
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import type { Findings } from '../findings.ts';
import { isLocal } from '../hosts.ts';
import { checkCertificate } from './check-service.ts';

const LIMIT_MS = 8000;
const WORDS: Record<number, string> = {
  4401: 'the media worker refuses the token: is JOIN_TOKEN_SECRET the same everywhere?',
  4404: 'no media worker knows the call: do workers run, on the same NATS?',
  4409: 'somebody else has joined it',
  4503: 'no media worker has room (calls_slots_used)',
};

/** Opens the join URL as a browser would. Null where no worker answers as one that has WebRTC. */
export async function checkJoin(page: URL, joinUrl: URL, findings: Findings): Promise<SignalReady | null> {
  const subject = `join URL ${joinUrl.origin}`;
  if (isLocal(joinUrl.hostname) && !isLocal(page.hostname)) {
    findings.fault(subject, 'names this machine, browsers elsewhere look on theirs', 'set MEDIA_PUBLIC_URL');
  }
  if (joinUrl.protocol === 'wss:') await checkCertificate(joinUrl, findings);
  else if (page.protocol === 'https:') {
    findings.fault(
      subject,
      'is ws:, and pages from https: may open wss: only',
      'set MEDIA_PUBLIC_URL to wss://…',
    );
  }
  const opened = await open(joinUrl).catch((thrown: unknown) => toError(thrown));
  if (opened instanceof Error) {
    findings.fault(
      subject,
      opened.message,
      'nothing but a media worker may answer here, through a proxy that passes upgrades',
    );
    return null;
  }
  findings.ok(subject, 'takes WebSockets, and a media worker answers');
  return opened;
}

function open(joinUrl: URL): Promise<SignalReady> {
  const socket = new WebSocket(joinUrl, { handshakeTimeout: LIMIT_MS, maxPayload: 1024 * 1024 });
  return new Promise<SignalReady>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`opened, and said nothing for ${LIMIT_MS} ms`)),
      LIMIT_MS,
    );
    socket.on('error', (error) => reject(new Error(`can't be opened: ${error.message}`)));
    socket.on('unexpected-response', (_request, response) => reject(new Error(refusal(response))));
    socket.on('close', (code) =>
      reject(new Error(`closed with ${code}: ${WORDS[code] ?? 'for no known reason'}`)),
    );
    socket.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString('utf8')) as SignalMessage;
      if (message.type === 'rtc_ready') resolve(message);
    });
    socket.once('close', () => clearTimeout(limit));
  }).finally(() => socket.terminate());
}

function refusal({ statusCode = 0 }: IncomingMessage): string {
  return `answers ${statusCode} instead of a WebSocket`;
}
