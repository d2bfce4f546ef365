import { streamCallChanges } from '@calls/api-contract/operations/calls.operations';
import type { CallChangeStreams } from '../calls/call-change-streams.ts';
import { HttpProblem } from '../problems/problem.ts';
import type { ApiRouter } from './api-router.ts';
import type { CallerCheck } from './authentication.ts';

export interface CallChangeRoutesDeps {
  callChangeStreams: CallChangeStreams;
  checkCaller: CallerCheck;
}

/** Streams end when their key is revoked or their session ends. */
export function callChangeRoutes(api: ApiRouter, deps: CallChangeRoutesDeps): void {
  const { callChangeStreams, checkCaller } = deps;
  api.raw(streamCallChanges, ({ accountId, http: { request, response } }) => {
    const isAllowed = (): Promise<boolean> =>
      checkCaller(request).then(
        (caller) => caller.by === 'key' && caller.key.accountId === accountId,
        (thrown: unknown) => {
          if (thrown instanceof HttpProblem) return false;
          throw thrown;
        },
      );
    callChangeStreams.assertRoom(accountId);
    // Proxies must forward each event immediately.
    response.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    if (request.method === 'HEAD') {
      response.end();
      return Promise.resolve();
    }
    response.flushHeaders();
    callChangeStreams.open({ accountId, sink: response, isAllowed });
    return Promise.resolve();
  });
}
