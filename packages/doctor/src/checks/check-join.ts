import type { SignalMessage, SignalReady } from '@calls/api-contract/signalling/signal-messages';
import { toError } from '@calls/foundation/errors';
import WebSocket, { type RawData } from 'ws';
import type { Findings } from '../findings.ts';
import { isLocal } from '../hosts.ts';
import { reasonOf } from '../reason.ts';
import { checkCertificate } from './check-certificate.ts';

const LIMIT_MS = 8000;
const REMEDIES = {
  unreachable:
    'is a media-worker running, does MEDIA_PUBLIC_URL name it, does the proxy in front of it reach MEDIA_PORT?',
  proxy:
    'the proxy in front of it must forward WebSocket upgrades (nginx: proxy_http_version 1.1, proxy_set_header of Upgrade and Connection) to a media-worker',
  other: 'only a media-worker may respond here: does MEDIA_PUBLIC_URL name it?',
} as const;
const CLOSINGS: Readonly<Record<number, readonly [text: string, remedy: string]>> = {
  4401: ['the media-worker refuses the token', 'JOIN_TOKEN_SECRET must be the same everywhere'],
  4404: ['the call has ended', 'run this again'],
  4409: ['another client has joined the call', 'run this again'],
  4503: [
    'no media-worker has admitted the call',
    'check that media-workers run, use the NATS of the control-plane, and have free slots (MEDIA_CAPACITY, metric calls_slots_used)',
  ],
};

/** A connection to a join URL. The offered media remains available until disposal. */
export interface OpenJoin extends Disposable {
  readonly ready: SignalReady;
}

class JoinError extends Error {
  readonly remedy: string;

  constructor(text: string, remedy: string) {
    super(text);
    this.remedy = remedy;
  }
}

/** Opens the join URL like a browser. Null if no worker with WebRTC responds. */
export async function checkJoin(page: URL, joinUrl: URL, findings: Findings): Promise<OpenJoin | null> {
  const subject = `join URL ${joinUrl.origin}`;
  if (isLocal(joinUrl.hostname) && !isLocal(page.hostname)) {
    findings.error(
      subject,
      'names this machine, which browsers on other machines cannot reach by this name',
      'set MEDIA_PUBLIC_URL to the URL at which browsers reach the media-workers',
    );
  }
  if (joinUrl.protocol === 'wss:') await checkCertificate(joinUrl, findings);
  else if (page.protocol === 'https:') {
    findings.error(
      subject,
      'uses ws:, but pages from https: can only open wss: URLs',
      'set MEDIA_PUBLIC_URL to wss://…',
    );
  }
  const socket = new WebSocket(joinUrl, { handshakeTimeout: LIMIT_MS, maxPayload: 1024 * 1024 });
  try {
    const ready = await readyOf(socket);
    findings.ok(subject, 'accepts WebSockets, and a media-worker responds');
    return { ready, [Symbol.dispose]: () => socket.terminate() };
  } catch (thrown) {
    socket.terminate();
    findings.error(
      subject,
      toError(thrown).message,
      thrown instanceof JoinError ? thrown.remedy : REMEDIES.other,
    );
    return null;
  }
}

function readyOf(socket: WebSocket): Promise<SignalReady> {
  return new Promise((resolve, reject) => {
    const fail = (text: string, remedy: string = REMEDIES.other): void => reject(new JoinError(text, remedy));
    const limit = setTimeout(() => fail(`opened, but sent nothing for ${LIMIT_MS} ms`), LIMIT_MS);
    socket.on('error', (error) => fail(`cannot be opened: ${reasonOf(error).text}`, REMEDIES.unreachable));
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      fail(
        `responds with ${statusCode} instead of a WebSocket`,
        statusCode >= 500 ? REMEDIES.unreachable : REMEDIES.proxy,
      );
    });
    socket.on('close', (code, reason) => {
      clearTimeout(limit);
      const [text, remedy] = CLOSINGS[code] ?? [
        reason.toString('utf8') || 'without a reason',
        REMEDIES.other,
      ];
      fail(`is closed with ${code}: ${text}`, remedy);
    });
    socket.on('message', (data) => {
      const message = signalOf(data);
      if (message === null) fail('sends messages that a media-worker does not send');
      else if (message.type === 'rtc_ready') resolve(message);
    });
  });
}

function signalOf(data: RawData): SignalMessage | null {
  try {
    return JSON.parse((data as Buffer).toString('utf8')) as SignalMessage;
  } catch {
    return null;
  }
}
