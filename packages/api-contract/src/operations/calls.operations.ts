import { Type } from 'typebox';
import { CallAnalysis } from '../rest/call-analysis.ts';
import { CallEvent } from '../rest/call-records.ts';
import { Call, CallSummary, StartCallQuery, StartCallRequest } from '../rest/call.ts';
import { Severity } from '../rest/enums.ts';
import { Message } from '../rest/message.ts';
import { SendCallDataMessage } from '../rest/send-data-message.ts';
import { CallSupervision, SuperviseCallRequest } from '../rest/supervision.ts';
import { CALL_SORTS, callFilters } from './call-filters.ts';
import { callStageOperations } from './call-stages.operations.ts';
import {
  call,
  callEvent,
  callSummary,
  callSupervision,
  message,
  pendingAnalysis,
  startCallBody,
} from './examples/calls.examples.ts';
import { exampleIds, pageOf } from './examples/example-values.ts';
import { defineList, defineOperation } from './operation.ts';

const tag = 'Calls';

export const startCall = defineOperation({
  id: 'startCall',
  method: 'POST',
  path: '/api/calls',
  tag,
  summary: 'Create a call',
  description:
    'Creates a call that a client joins at `joinUrl`. The call ends with `unjoined` if nothing joins within `joinTimeout`. Fails with 402 if no free minutes are left, 403 if the account lacks a feature that the settings need, 422 if the medium is not available, and 429 if a limit is reached.',
  example: { body: startCallBody, response: call },
  query: StartCallQuery,
  idempotent: true,
  body: StartCallRequest,
  status: 201,
  response: Call,
  errorStatuses: [402, 403, 422],
});

const listFilters = {
  ...callFilters,
  sort: Type.Optional(
    Type.Enum([...CALL_SORTS], {
      default: '-created',
      description: 'Sort order of the list; `-` reverses it.',
    }),
  ),
};

export const listCalls = defineList({
  id: 'listCalls',
  path: '/api/calls',
  tag,
  summary: 'List calls',
  description:
    'Returns the calls of the account, newest first unless `sort` is set. A call must match all filters; bounds are inclusive.',
  example: {
    query: { agentIds: [exampleIds.agent], sort: '-created', pageSize: 50 },
    response: pageOf(call),
  },
  filters: listFilters,
  item: Call,
  itemName: 'Call',
});

export const listCallSummaries = defineList({
  id: 'listCallSummaries',
  path: '/api/calls/summaries',
  tag,
  summary: 'List calls in short form',
  description:
    'Returns the same list as `GET /api/calls`, with few fields of each call, for pages that are read often.',
  example: {
    query: { sort: '-created', pageSize: 50 },
    response: pageOf(callSummary),
  },
  filters: listFilters,
  item: CallSummary,
  itemName: 'CallSummary',
});

export const streamCallChanges = defineOperation({
  id: 'streamCallChanges',
  method: 'GET',
  path: '/api/calls/changes',
  tag,
  summary: 'Stream changes of calls',
  description:
    'Streams server-sent events. `call` has `{"callId", "state"}` of a call that was created, joined or ended. `resync` comes first and whenever changes may have been missed: read the list again. A comment comes every 10 seconds. Fails with 429 `concurrency` above 20 streams.',
  example: {},
  status: 200,
  otherResponses: [{ status: 200, mediaType: 'text/event-stream', description: 'The stream.' }],
});

export const getCall = defineOperation({
  id: 'getCall',
  method: 'GET',
  path: '/api/calls/{call_id}',
  tag,
  callScope: 'call.read',
  summary: 'Get a call',
  description:
    'Returns a call with its settings and state. Fields that are not known yet, such as `ended`, are null.',
  example: { response: call },
  status: 200,
  response: Call,
});

export const deleteCall = defineOperation({
  id: 'deleteCall',
  method: 'DELETE',
  path: '/api/calls/{call_id}',
  tag,
  summary: 'Delete a call',
  description:
    'Deletes a call with its messages, events and recording. A live call is hung up first. A record without contents remains under `/api/deleted_calls`. Fails with 409 `call_live` if the call does not end in time.',
  example: {},
  status: 204,
  errorStatuses: [409],
});

export const analyzeCall = defineOperation({
  id: 'analyzeCall',
  method: 'POST',
  path: '/api/calls/{call_id}/analysis',
  tag,
  summary: 'Analyze a call again',
  description:
    'Requests a new analysis of an ended call, with the `analysisSettings` of the call. It replaces the previous one. Fails with 409 `analysis_pending` while one is pending, 409 `too_many_analyses` if the account has too many pending, and 422 `not_analyzable` if the call has not ended, was never joined, has no `analysisSettings` or does not retain its messages.',
  example: { response: pendingAnalysis },
  status: 201,
  response: CallAnalysis,
  errorStatuses: [409, 422],
});

export const sendCallDataMessage = defineOperation({
  id: 'sendCallDataMessage',
  method: 'POST',
  path: '/api/calls/{call_id}/send_data_message',
  tag,
  callScope: 'call.send_data_message',
  summary: 'Send a data message to a call',
  description:
    'Makes the agent respond to text, say something or hang up. Fails with 422 `call_not_live` unless a client is connected; `hang_up` also ends calls that wait for their client.',
  example: { body: { type: 'user_text_message', text: 'I would like to book a room.', urgency: 'soon' } },
  body: SendCallDataMessage,
  status: 204,
  errorStatuses: [422],
});

export const superviseCall = defineOperation({
  id: 'superviseCall',
  method: 'POST',
  path: '/api/calls/{call_id}/supervise',
  tag,
  summary: 'Supervise a live call',
  description:
    'Gives a person access to a live call: to listen, to send the agent instructions, or to speak to the user in its place. The WebSocket `superviseUrl` can be opened for one minute. Fails with 422 `call_not_live` unless the call is joined and has not ended.',
  example: { body: { mode: 'barge', name: 'Ann' }, response: callSupervision },
  body: SuperviseCallRequest,
  status: 201,
  response: CallSupervision,
  errorStatuses: [422],
});

export const listCallMessages = defineList({
  id: 'listCallMessages',
  path: '/api/calls/{call_id}/messages',
  tag,
  callScope: 'call.read',
  summary: 'List the messages of a call',
  description: 'Returns what was said in a call, and its tool calls, in order.',
  example: { query: { mode: 'in_call' }, response: pageOf(message) },
  filters: {
    mode: Type.Optional(
      Type.Enum(['last_stage', 'in_call'], {
        default: 'last_stage',
        description:
          '`last_stage`: all messages of the last stage, initial ones included; `in_call`: what was said in all stages.',
      }),
    ),
  },
  item: Message,
  itemName: 'Message',
});

export const listCallEvents = defineList({
  id: 'listCallEvents',
  path: '/api/calls/{call_id}/events',
  tag,
  callScope: 'call.read',
  summary: 'List the events of a call',
  description:
    'Returns call events in chronological order, for example tool failures, interruptions and audio overflows.',
  example: { query: { minimum_severity: 'warning' }, response: pageOf(callEvent) },
  filters: {
    minimum_severity: Type.Optional(
      Type.Enum(Severity.enum, { default: 'info', description: 'Minimum severity of the events.' }),
    ),
    type: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'Type of the events.' })),
  },
  item: CallEvent,
  itemName: 'CallEvent',
});

export const getCallRecording = defineOperation({
  id: 'getCallRecording',
  method: 'GET',
  path: '/api/calls/{call_id}/recording',
  tag,
  summary: 'Get the recording of a call',
  description:
    'Returns the recording of an ended call as stereo WAV at 16 kHz: the user on the left, the agent on the right. Supports `Range` and `If-Range`. Some installations redirect to a URL that is valid for five minutes and needs no key. Fails with 404 if there is no recording, and with 425 while the call is live.',
  example: {},
  status: 200,
  otherResponses: [
    { status: 200, mediaType: 'audio/wav', description: 'The recording.' },
    { status: 206, mediaType: 'audio/wav', description: 'The requested range.' },
    { status: 302, description: 'The header `Location` has the URL of the recording.' },
  ],
  errorStatuses: [416, 425],
});

export const getCallSipLogs = defineOperation({
  id: 'getCallSipLogs',
  method: 'GET',
  path: '/api/calls/{call_id}/sip_logs',
  tag,
  summary: 'Get the SIP messages of a call',
  description:
    'Redirects to the SIP messages of an ended call as text. The target is valid for five minutes and needs no key. Fails with 404 if there are no messages, and with 425 while the call is live. During the call, read its `sip_message` events instead.',
  example: {},
  status: 200,
  otherResponses: [{ status: 302, description: 'The header `Location` has the URL of the messages.' }],
  errorStatuses: [425],
});

export const callOperations = [
  startCall,
  listCalls,
  listCallSummaries,
  streamCallChanges,
  getCall,
  deleteCall,
  analyzeCall,
  sendCallDataMessage,
  superviseCall,
  listCallMessages,
  listCallEvents,
  getCallRecording,
  getCallSipLogs,
  ...callStageOperations,
];
