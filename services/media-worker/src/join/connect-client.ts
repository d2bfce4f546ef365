import { MAX_CLIENT_VERSION_LENGTH } from '@calls/api-contract/bus/call-log-entry';
import type { MessageSwitches } from '@calls/api-contract/data-messages/server-messages';
import type { MediaTransport } from '@calls/conversation/ports/media-transport';
import { toError } from '@calls/foundation/errors';
import type { Logger } from '@calls/foundation/logger';
import type { HostedCall } from '../calls/hosted-call.ts';
import { reportUnknownMessages } from './client-media.ts';
import type { JoinRejection, OnJoin } from './join-outcome.ts';

export interface ConnectingClient {
  call: Pick<HostedCall, 'callId' | 'isJoined' | 'join' | 'waitWhile'>;
  /** Resolves when its media is set up; to null if the client has left. */
  setUp: Promise<MediaTransport | null>;
  /** Query of the join URL. */
  query: URLSearchParams;
  switches: MessageSwitches;
  by: Parameters<OnJoin>[1];
  /** Called if another client joined first, or the call has ended. */
  onRefused: (reason: JoinRejection) => void;
  /** Called after an error. */
  onFailed: () => void;
  onJoin: OnJoin;
  log: Logger;
}

/** Joins the client to the call when its media is set up. The call waits for it. */
export function connectClient(client: ConnectingClient): void {
  const { call, query, switches, by, onRefused, onFailed, onJoin, log } = client;
  const { callId } = call;
  const joined = client.setUp.then((transport) => {
    if (!transport) return;
    const clientVersion = query.get('clientVersion')?.slice(0, MAX_CLIENT_VERSION_LENGTH) ?? null;
    if (call.join(transport, clientVersion)) {
      onJoin('joined', by);
      reportUnknownMessages(transport, switches);
      return;
    }
    const reason = call.isJoined ? 'already_joined' : 'unknown_call';
    log.info({ callId, reason }, 'join refused after media set-up');
    onJoin(reason);
    onRefused(reason);
    void transport.close('unjoined');
  });
  const settled = joined.catch((thrown: unknown) => {
    log.error({ callId, err: toError(thrown) }, 'join failed');
    onFailed();
  });
  call.waitWhile(settled);
}
