import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../../api/api-problem.ts';
import { dataOf, api, type Schemas } from '../../../api/client.ts';
import { stateOf } from '../call-labels.ts';
import { useGrowingList } from './use-growing-list.ts';

type Call = Schemas['Call'];

const LIVE_MS = 1500;
/** Polling interval until the bill and the summary of an ended call are available. */
const SETTLING_MS = 3000;
const SETTLES_WITHIN_MS = 90_000;
const MAX_PAGE_SIZE = 100;

export function useCall(callId: string) {
  return useQuery({
    queryKey: ['call', callId],
    queryFn: () => dataOf(api.GET('/api/calls/{call_id}', { params: { path: { call_id: callId } } })),
    refetchInterval: ({ state: { data } }) => (data ? refreshMsOf(data, Date.now()) : false),
  });
}

function refreshMsOf(call: Call, nowMs: number): number | false {
  if (call.ended === null) return LIVE_MS;
  // An analysis can be requested again long after the end.
  if (call.analysis?.status === 'pending') return SETTLING_MS;
  const isSettled = call.billingStatus !== 'BILLING_STATUS_PENDING' && call.shortSummary !== null;
  return !isSettled && nowMs - Date.parse(call.ended) < SETTLES_WITHIN_MS ? SETTLING_MS : false;
}

/** The tombstone of a deleted call; null if there never was such a call. Loaded only if `isGone`. */
export function useTombstone(callId: string, isGone: boolean) {
  return useQuery({
    queryKey: ['call', callId, 'deleted'],
    queryFn: async () => {
      try {
        return await dataOf(
          api.GET('/api/deleted_calls/{call_id}', { params: { path: { call_id: callId } } }),
        );
      } catch (thrown) {
        if (thrown instanceof ApiProblem && thrown.status === 404) return null;
        throw thrown;
      }
    },
    enabled: isGone,
  });
}

/** All messages and events of the call, growing while it is live. */
export function useCallRecord(call: Call) {
  const { callId } = call;
  const state = stateOf(call);
  const refreshMs = state === 'ended' ? false : LIVE_MS;
  // Queries of an ended call are refetched, because it is complete now.
  const keyOf = (what: string): unknown[] => ['call', callId, what, state === 'ended'];
  const path = { call_id: callId };
  const messages = useGrowingList(
    keyOf('messages'),
    (cursor) =>
      dataOf(
        api.GET('/api/calls/{call_id}/messages', {
          params: { path, query: { ...cursor, mode: 'in_call', pageSize: MAX_PAGE_SIZE } },
        }),
      ),
    { refreshMs },
  );
  const events = useGrowingList(
    keyOf('events'),
    (cursor) =>
      dataOf(
        api.GET('/api/calls/{call_id}/events', {
          params: { path, query: { ...cursor, minimum_severity: 'debug', pageSize: MAX_PAGE_SIZE } },
        }),
      ),
    { refreshMs },
  );
  return { messages, events };
}

/** All stages of the call, growing while it is live. */
export function useCallStages(call: Call) {
  const isEnded = stateOf(call) === 'ended';
  return useGrowingList(
    ['call', call.callId, 'stages', isEnded],
    (cursor) =>
      dataOf(
        api.GET('/api/calls/{call_id}/stages', {
          params: { path: { call_id: call.callId }, query: { ...cursor, pageSize: MAX_PAGE_SIZE } },
        }),
      ),
    { refreshMs: isEnded ? false : LIVE_MS },
  );
}

export type CallRecord = ReturnType<typeof useCallRecord>;
